import { test as base, expect, type Page } from '@playwright/test';
import type { Choices } from './harness/harness.js';

export { expect };

/** A call that a test drives. */
export class CallPage {
  constructor(readonly page: Page) {}

  async start(choices: Choices = {}): Promise<void> {
    await this.page.evaluate((c) => window.harness.start(c), choices);
  }

  /** Frames decoded so far at the end that receives the video. This end is either the far side or a ccscope call. */
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
    await expect.poll(() => this.frames()).toBeGreaterThan(frames);
  }

  /** Frames per second over the next 1.5 s: captured by the camera, encoded, and decoded. */
  async fps(): Promise<{ captured: number; encoded: number; decoded: number }> {
    const now = async () => ({
      ...(await this.page.evaluate(() => window.harness.framesSent())),
      decoded: await this.frames(),
    });
    const from = performance.now();
    const before = await now();
    await this.page.waitForTimeout(1500);
    const after = await now();
    const seconds = (performance.now() - from) / 1000;
    const rate = (key: keyof typeof before) => (after[key] - before[key]) / seconds;
    return { captured: rate('captured'), encoded: rate('encoded'), decoded: rate('decoded') };
  }

  status() {
    return this.page.evaluate(() => {
      const { call } = window.harness;
      if (call === null) throw new Error('no call was started');
      // Tests run in parallel and may overload the machine; only e2e/machine.test.ts checks this notice.
      const notices = call.status.notices.filter(({ code }) => code !== 'machine-overloaded');
      return { ...call.status, notices, codes: notices.map(({ code }) => code) };
    });
  }

  /** Waits until a notice with this code has been shown. */
  async noticed(code: string): Promise<void> {
    await expect.poll(() => this.page.evaluate(() => [...window.harness.noticed])).toContain(code);
  }

  rows(table: 'arrival' | 'inbound' | 'group' | 'feedback' | 'rate' | 'queue') {
    return this.page.evaluate((t) => window.harness.rows(t), table);
  }

  /**
   * What must hold after every fault: two seconds later the video runs, at least two thirds of the camera's frames
   * are encoded, and at least two thirds of these are decoded. (On a busy machine, the camera may deliver fewer
   * than 30 frames per second.)
   */
  async goesOn(): Promise<void> {
    await this.page.waitForTimeout(2000);
    const fps = await this.fps();
    expect(fps.captured, JSON.stringify(fps)).toBeGreaterThan(5);
    expect(fps.encoded / fps.captured, JSON.stringify(fps)).toBeGreaterThan(2 / 3);
    expect(fps.decoded / fps.encoded, JSON.stringify(fps)).toBeGreaterThan(2 / 3);
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
