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

  /** Frames a second over the next 1.5 s: from the camera, after the encoder, after the decoder. */
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
      // Tests share the machine: overload is only judged in machine.test.ts, which causes it.
      const notices = call.status.notices.filter(({ code }) => code !== 'machine-overloaded');
      return { ...call.status, notices, codes: notices.map(({ code }) => code) };
    });
  }

  /** Waits for a notice, and checks that it says what happened and what to do. */
  async noticed(code: string): Promise<void> {
    await expect.poll(() => this.page.evaluate(() => [...window.harness.noticed])).toContain(code);
  }

  rows(table: 'arrival' | 'inbound' | 'group' | 'feedback' | 'rate' | 'queue') {
    return this.page.evaluate((t) => window.harness.rows(t), table);
  }

  /**
   * The requirement on every fault: two seconds later the video runs, two thirds of the camera's frames are
   * encoded, and two thirds of these decoded. How many of 30 a second the camera makes is the machine's
   * matter, which may do much else.
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
