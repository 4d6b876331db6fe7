/** If a trace's worker ends, another worker answers the open requests, or the requests are rejected. */
import { expose } from 'comlink';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';

import { createTraceStore } from '../../../src/worker/trace/trace_client.js';
import { TraceService } from '../../../src/worker/trace/trace_service.js';

/** A worker in this thread, behind a message channel. While `isStalled` is true, it answers nothing. */
class ThreadWorker extends EventTarget {
  static readonly all: ThreadWorker[] = [];
  readonly #ports = new MessageChannel();
  isStalled = false;

  constructor(starts: boolean) {
    super();
    ThreadWorker.all.push(this);
    const { port1, port2 } = this.#ports;
    port2.start();
    expose(new TraceService(), port2);
    port1.addEventListener('message', ({ data }: MessageEvent<unknown>) => {
      if (!this.isStalled) this.dispatchEvent(new MessageEvent('message', { data }));
    });
    port1.start();
    if (starts) return;
    this.isStalled = true;
    queueMicrotask(() => this.fail('no worker may start here'));
  }

  postMessage(message: unknown, transferred: Transferable[] = []): void {
    if (!this.isStalled) this.#ports.port1.postMessage(message, transferred);
  }

  fail(message: string): void {
    this.dispatchEvent(Object.assign(new Event('error'), { message }));
  }

  terminate(): void {
    this.#ports.port1.close();
  }
}

const EVENT = { time_us: 1, name: 'mode', detail: 'cap' };
/** A store whose first worker starts. If `others` is false, the workers that replace it fail. */
async function storeWith(others: boolean, onError: (error: Error) => void) {
  const createWorker = () => new ThreadWorker(ThreadWorker.all.length === 0 || others) as unknown as Worker;
  return createTraceStore({ createWorker, onError, isKept: true });
}

beforeEach(() => void vi.stubGlobal('navigator', {}));
afterEach(() => {
  for (const worker of ThreadWorker.all.splice(0)) worker.terminate();
  vi.unstubAllGlobals();
});

describe('a trace whose worker ends', () => {
  it('answers open requests from the worker that replaces it, and has lost nothing', async () => {
    const errors: Error[] = [];
    const store = await storeWith(true, (error) => errors.push(error));
    store.appendEvent(EVENT);
    const [worker] = ThreadWorker.all;
    if (worker === undefined) throw new Error('there is no worker');
    worker.isStalled = true;
    const asked = store.events();
    worker.fail('out of memory');
    expect(await asked).toEqual([EVENT]);
    expect(errors).toEqual([]);
  });

  it('rejects open and later requests with the first cause if no other worker starts', async () => {
    const errors: Error[] = [];
    const store = await storeWith(false, (error) => errors.push(error));
    const [worker] = ThreadWorker.all;
    if (worker === undefined) throw new Error('there is no worker');
    worker.isStalled = true;
    const asked = store.events();
    worker.fail('out of memory');
    await expect(asked).rejects.toThrow('the trace worker failed: out of memory');
    await expect(store.extent()).rejects.toThrow('out of memory');
    expect(errors.map(({ message }) => message)).toEqual(['the trace worker failed: out of memory']);
    // Rows that arrive now are kept, and nothing throws.
    store.appendEvent(EVENT);
  });
});
