import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { fileURLToPath } from 'node:url';

import { test as base, expect, type Locator, type Page } from '@playwright/test';
import sirv from 'sirv';

import { startServer } from '../../src/server/server.js';

export { expect };

/** The addresses of the built app, on the local server and on a plain static host. */
export interface Served {
  url: string;
  staticUrl: string;
  /** The folder of the built app. */
  appDir: string;
}

/** Drives the Call page as a user would. */
export class Scope {
  constructor(readonly page: Page) {}

  /** The current value of a series in a chart's legend. */
  value(series: string): Locator {
    return this.page.getByRole('button', { name: new RegExp(`^${series}`) }).locator('.reading');
  }

  /** A row of the summary table. */
  summary(name: string): Locator {
    return this.page.getByRole('row', { name: new RegExp(`^${name}`) });
  }

  async start(): Promise<void> {
    await this.page.getByRole('banner').getByRole('button', { name: 'Start' }).click();
    await this.live();
  }

  async live(): Promise<void> {
    await expect(this.page.getByRole('status')).toHaveText('Live');
  }

  async stop(): Promise<void> {
    await this.page.getByRole('banner').getByRole('button', { name: 'Stop' }).click();
    await expect(this.page.getByRole('status')).toHaveText('No call');
  }

  /** Waits until the controller has counted more than `count` groups of frames in total. */
  async groups(count: number): Promise<void> {
    await expect
      .poll(() => this.page.evaluate(() => window.ccscope.counters().groups))
      .toBeGreaterThan(count);
  }

  /** The settings in the page's address. */
  query(): URLSearchParams {
    return new URL(this.page.url()).searchParams;
  }
}

export const test = base.extend<{ scope: Scope }, { served: Served }>({
  served: [
    async ({}, use) => {
      const appDir = fileURLToPath(new URL('../../dist/app', import.meta.url));
      const server = await startServer({ appDir });
      const files = createServer(sirv(appDir));
      await new Promise<void>((resolve) => files.listen(0, '127.0.0.1', resolve));
      const { port } = files.address() as AddressInfo;
      await use({ url: server.url, staticUrl: `http://127.0.0.1:${port}/`, appDir });
      await server.close();
      files.closeAllConnections();
      files.close();
    },
    { scope: 'worker' },
  ],
  // Every test fails when the page throws.
  scope: async ({ page }, use) => {
    const errors: string[] = [];
    page.on('pageerror', (error) => errors.push(error.message));
    await use(new Scope(page));
    expect(errors).toEqual([]);
  },
});

/**
 * Presses the Lab's button as soon as it says "Run". Finding the button and pressing it is one step, because a change of
 * the network also starts a run, which turns the button into "Cancel". A pointer would take the focus from the field
 * that was filled last and so enter its value, which a click by script does not; so the field is left first.
 */
export async function pressRun(page: Page): Promise<void> {
  await page.evaluate(() => (document.activeElement as HTMLElement | null)?.blur());
  await page.waitForFunction(() => {
    const button = document.querySelector<HTMLButtonElement>('header button.start');
    if (button === null || button.textContent !== 'Run' || button.disabled) return false;
    button.click();
    return true;
  });
}
