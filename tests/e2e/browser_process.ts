/**
 * A Chromium that "somebody else" started. It is a process with a debugging port, and tests may access it only
 * through this port.
 */
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { chromium, type Browser, type Page } from '@playwright/test';

import { CHROMIUM_FLAGS } from '../../src/command_line/call/chromium.js';

export interface BrowserProcess {
  readonly child: ChildProcess;
  /** The HTTP address of the browser's debugging port. */
  readonly url: string;
  /**
   * The test's own connection to the browser, in addition to that of the `ccscope attach` under test. Through it,
   * the test sees and does what the browser's user would.
   */
  readonly seen: Browser;
  open(url: string): Promise<Page>;
  close(): Promise<void>;
}

/** Starts a Chromium with a single, empty page. */
export async function startBrowser(executablePath: string | undefined): Promise<BrowserProcess> {
  const folder = mkdtempSync(join(tmpdir(), 'ccscope-browser-'));
  const child = spawn(
    executablePath ?? chromium.executablePath(),
    [
      '--remote-debugging-port=0',
      `--user-data-dir=${folder}`,
      '--no-sandbox',
      ...CHROMIUM_FLAGS,
      'about:blank',
    ],
    { stdio: ['ignore', 'ignore', 'pipe'] },
  );
  const url = await new Promise<string>((resolve, reject) => {
    let said = '';
    child.stderr.on('data', (text: Buffer) => {
      said += text.toString();
      const [, host] = /DevTools listening on ws:\/\/([^/]+)\//.exec(said) ?? [];
      if (host !== undefined) resolve(`http://${host}`);
    });
    child.once('exit', () => reject(new Error(`the browser ended: ${said}`)));
  });
  const seen = await chromium.connectOverCDP(url);
  const [context] = seen.contexts();
  if (context === undefined) throw new Error('the browser has no context');
  return {
    child,
    url,
    seen,
    open: async (address) => {
      const page = await context.newPage();
      await page.goto(address);
      return page;
    },
    close: async () => {
      await seen.close();
      if (child.exitCode === null && child.signalCode === null) {
        child.kill();
        await once(child, 'exit');
      }
      // The browser's child processes may still write into the folder for a moment after their parent has ended.
      await rm(folder, { recursive: true, force: true, maxRetries: 20, retryDelay: 200 });
    },
  };
}
