/**
 * After pages and browser contexts have been closed, the observer of a call keeps its records of them, but no
 * references to their objects.
 */
import { EventEmitter } from 'node:events';
import { setImmediate as turn } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

import type { BrowserContext } from 'playwright-core';
import { expect, it } from 'vitest';

import { CallObserver } from '../../src/observe/observer.js';

setFlagsFromString('--expose-gc');
const collectGarbage = runInNewContext('gc') as () => void;

/** The part of a page that the observer uses. */
class SomePage extends EventEmitter {
  readonly #frame = {};
  constructor(private readonly ofContext: SomeContext) {
    super();
  }
  readonly context = () => this.ofContext;
  readonly url = () => 'about:blank';
  readonly mainFrame = () => this.#frame;
  readonly frames = () => [];
}

/** The part of a browser context that the observer uses. */
class SomeContext extends EventEmitter {
  readonly pages = () => [];
  readonly exposeBinding = () => Promise.resolve();
  readonly addInitScript = () => Promise.resolve();
}

/** Observes a page from its opening to its closing. Returns weak references to the page and its context. */
async function openAndClose(observer: CallObserver): Promise<WeakRef<object>[]> {
  const context = new SomeContext();
  await observer.observe(context as unknown as BrowserContext);
  const page = new SomePage(context);
  context.emit('page', page);
  page.emit('close');
  return [new WeakRef(page), new WeakRef(context)];
}

it('lets go of pages and contexts that are closed, and keeps what it recorded of them', async () => {
  const observer = new CallObserver({ originEpochMs: Date.now() });
  const references: WeakRef<object>[] = [];
  for (let i = 0; i < 50; i++) references.push(...(await openAndClose(observer)));
  // The target of a new WeakRef is kept alive until the current turn of the event loop ends.
  await turn();
  collectGarbage();
  expect(references.filter((reference) => reference.deref() !== undefined)).toHaveLength(0);
  expect(observer.record.pages.map(({ context }) => context)).toEqual([...Array(50).keys()]);
  expect(observer.record.pages.every(({ ended }) => ended?.why === 'closed')).toBe(true);
  await observer.close();
});
