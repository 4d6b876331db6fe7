import { test as base, expect, type Page } from '@playwright/test';
import type { Choices } from './harness/harness.js';

export { expect };

/** A call that a test drives. */
export class CallPage {
  constructor(readonly page: Page) {}

  async start(choices: Choices = {}): Promise<void> {
    await this.page.evaluate((c) => window.harness.start(c), choices);
  }

  /** Frames decoded so far at the receiving side, whichever it is. */
  frames(): Promise<number> {
    return this.page.evaluate(async () => {
      const { call, other, farFrames } = window.harness;
      const far = await farFrames();
      if (far > 0) return far;
      const receiving = call?.remoteStream == null ? other : call;
      return (await receiving?.mediaStats())?.framesDecoded || 0;
    });
  }

  async flowing(frames = 30): Promise<void> {
    await expect.poll(() => this.frames(), { timeout: 20_000 }).toBeGreaterThan(frames);
  }

  /** Frames a second over the next 1.5 s. */
  async fps(): Promise<number> {
    const [from, before] = [performance.now(), await this.frames()];
    await this.page.waitForTimeout(1500);
    return ((await this.frames()) - before) / ((performance.now() - from) / 1000);
  }

  status() {
    return this.page.evaluate(() => {
      const { call } = window.harness;
      if (call === null) throw new Error('no call was started');
      return { ...call.status, codes: call.status.notices.map((n) => n.code) };
    });
  }

  /** Waits for a notice, and checks that it says what happened and what to do. */
  async noticed(code: string): Promise<void> {
    await expect.poll(() => this.page.evaluate(() => [...window.harness.noticed])).toContain(code);
  }

  rows(table: 'arrival' | 'inbound' | 'group' | 'feedback' | 'rate' | 'queue') {
    return this.page.evaluate((t) => window.harness.rows(t), table);
  }

  /** The requirement on every fault: two seconds later the video runs. */
  async goesOn(): Promise<void> {
    await this.page.waitForTimeout(2000);
    expect(await this.fps()).toBeGreaterThanOrEqual(20);
  }
}

export const test = base.extend<{ call: CallPage }>({
  call: async ({ page }, use) => {
    const errors: string[] = [];
    page.on('pageerror', (error) => errors.push(error.message));
    await page.goto('/');
    await use(new CallPage(page));
    await page.evaluate(() => window.harness.stop());
    expect(errors).toEqual([]);
  },
});
