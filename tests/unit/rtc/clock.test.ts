import { describe, expect, it, vi } from 'vitest';
import { CallClock, PageClock, RtpTimeline } from '../../../src/worker/media/clock.js';

describe('the call clock', () => {
  it('counts whole microseconds from the origin, which may lie before or after this context began', () => {
    const clock = new CallClock(performance.timeOrigin);
    expect(clock.timeUs(1500.0004)).toBe(1_500_000);
    expect(new CallClock(performance.timeOrigin - 250).timeUs(1)).toBe(251_000);
    expect(new CallClock(performance.timeOrigin + 250).timeUs(1)).toBe(-249_000);
  });

  it('reads the same clock for now', () => {
    const clock = new CallClock(performance.timeOrigin - 250);
    const before = performance.now();
    const nowUs = clock.nowUs();
    expect(nowUs).toBeGreaterThanOrEqual(clock.timeUs(before));
    expect(nowUs).toBeLessThanOrEqual(clock.timeUs(performance.now()));
    expect(Number.isInteger(nowUs)).toBe(true);
  });
});

describe('the times of a page', () => {
  it('never decrease, even if the worker was held up at the start', () => {
    const clock = new CallClock(0);
    const nowUs = vi.spyOn(clock, 'nowUs');
    const page = new PageClock(clock);
    const times = Array.from({ length: 10 }, (_, i) => {
      const readUs = 100e3 * i;
      nowUs.mockReturnValue(Math.max(readUs + 2000, 620e3));
      return page.toWorker(readUs);
    });
    expect(times).toEqual([...times].sort((a, b) => a - b));
    expect(times.at(-1)).toBe(900e3);
  });
});

describe('RTP timestamps', () => {
  it('become a time line at 90 kHz, also across the wrap and for a late frame', () => {
    const line = new RtpTimeline();
    expect(line.timeUs(2 ** 32 - 3000)).toBe(0);
    expect(line.timeUs(0)).toBe(33_333);
    expect(line.timeUs(3000)).toBe(66_667);
    expect(line.timeUs(2 ** 32 - 3000)).toBe(0);
    expect(line.timeUs(6000)).toBe(100_000);
  });
});
