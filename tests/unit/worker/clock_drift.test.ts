import { describe, expect, it } from 'vitest';

import { FrameArrivals } from '../../../src/worker/media/frame_arrivals.js';
import { lowerSlope } from '../../../src/worker/media/clock_drift.js';
import type { Trailer } from '../../../src/worker/media/trailer.js';
import { randoms } from '../watch/synthetic_page.js';

const FRAME_US = 33_333;

interface Path {
  durationS: number;
  /** How much faster the receiver's clock runs, in parts per million. */
  driftPpm: number;
  jitterUs?: number;
  queueUs?: (timeS: number) => number;
  trailers?: boolean;
}

interface Delay {
  timeS: number;
  delayUs: number;
}

/** The one-way delays of frames at 30 fps, computed from the rows that `FrameArrivals` returns. */
function delays({
  durationS,
  driftPpm,
  jitterUs = 4000,
  queueUs = () => 0,
  trailers = false,
}: Path): Delay[] {
  const random = randoms(11);
  const arrivals = new FrameArrivals();
  const found: Delay[] = [];
  for (let frame = 0; frame * FRAME_US < durationS * 1e6; frame++) {
    const sendUs = frame * FRAME_US;
    const trueUs = sendUs + 25_000 + queueUs(sendUs / 1e6) - Math.log(1 - random()) * jitterUs;
    const arrivalTimeUs = Math.round(trueUs * (1 + driftPpm * 1e-6));
    const trailer: Trailer | null = trailers ? { sendTimeUs: sendUs, frameSeq: frame, rttUs: NaN } : null;
    const row = arrivals.of({
      ...{ trailer, rtpTimestamp: Math.round(sendUs * 0.09) % 2 ** 32 },
      ...{ arrivalTimeUs, sizeBytes: 4000, keyFrame: false },
    });
    if (row === null) continue;
    arrivals.took(row);
    found.push({ timeS: sendUs / 1e6, delayUs: row.arrivalTimeUs - (row.sendTimeUs ?? NaN) });
  }
  return found;
}

/**
 * The drift that remains in the delays, in parts per million. Takes the shortest delay of every ten seconds after
 * `fromS`, and returns the slope of these minima over time.
 */
function slopePpm(all: readonly Delay[], fromS: number): number {
  const bins = new Map<number, { timeUs: number; delayUs: number }>();
  for (const { timeS, delayUs } of all) {
    if (timeS < fromS) continue;
    const bin = Math.floor(timeS / 10);
    const before = bins.get(bin);
    if (before === undefined || delayUs < before.delayUs) bins.set(bin, { timeUs: timeS * 1e6, delayUs });
  }
  return lowerSlope([...bins.values()]) * 1e6;
}

/** The delay of a queue that grows for 3 s in every 15 s, and is empty otherwise. */
const queues = (timeS: number): number => (timeS % 15 > 12 ? 80_000 * (((timeS % 15) - 12) / 3) : 0);

describe('the drift of a clock', () => {
  it.each([200, -200, 50, 450, 0])('of %i millionths is removed, with jitter and queues', (driftPpm) => {
    const all = delays({ durationS: 600, driftPpm, queueUs: queues });
    const residual = slopePpm(all, 200);
    expect(Math.abs(residual)).toBeLessThan(10);
    // The offset that accumulated before the drift was known is also removed. So the shortest delays at the
    // end are about as long as those at the beginning.
    const least = (from: number, to: number): number =>
      Math.min(...all.filter(({ timeS }) => timeS >= from && timeS < to).map(({ delayUs }) => delayUs));
    expect(Math.abs(least(550, 600) - least(0, 2))).toBeLessThan(3000);
  });

  it('is nothing in a window that a detector looks at, when it begins to be removed and while it is caught up', () => {
    const [plain, removed] = [0, 300].map((driftPpm) => delays({ durationS: 180, driftPpm, jitterUs: 0 }));
    for (const all of [plain, removed])
      for (let i = 31; i < (all?.length ?? 0); i++) {
        const [before, now] = [all?.[i - 30]?.delayUs ?? NaN, all?.[i]?.delayUs ?? NaN];
        // Until the drift is known, the delay changes by up to 300 µs per second. After that, it changes by
        // only 100 µs per second, while the accumulated offset is being removed.
        expect(Math.abs(now - before)).toBeLessThan(450);
      }
  });

  it.each([20, 40])('is not what a queue does that grows for %i s', (growsS) => {
    const queueUs = (timeS: number): number =>
      timeS < 120 || timeS > 120 + growsS ? 0 : (timeS - 120) * 400;
    const all = delays({ durationS: 200, driftPpm: 100, jitterUs: 500, queueUs });
    const least = (from: number): number =>
      Math.min(...all.filter(({ timeS }) => timeS >= from && timeS < from + 2).map(({ delayUs }) => delayUs));
    const grownUs = least(118 + growsS) - least(118);
    const trueUs = (growsS - 2) * 400;
    expect(grownUs / trueUs).toBeGreaterThan(0.9);
    expect(grownUs / trueUs).toBeLessThan(1.1);
  });

  it('is not what another path does', () => {
    const all = delays({
      durationS: 400,
      driftPpm: 0,
      queueUs: (timeS) => (timeS < 100 ? 40_000 : timeS < 250 ? 0 : 30_000),
    });
    expect(
      Math.abs(
        slopePpm(
          all.filter(({ timeS }) => timeS > 110 && timeS < 250),
          110,
        ),
      ),
    ).toBeLessThan(10);
    expect(Math.abs(slopePpm(all, 260))).toBeLessThan(10);
  });

  it('is left where the sender says when it sent', () => {
    const all = delays({ durationS: 120, driftPpm: 200, jitterUs: 0, trailers: true });
    expect(slopePpm(all, 0)).toBeCloseTo(200, 0);
  });
});
