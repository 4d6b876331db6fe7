// Tests the shaper with an independent sender and receiver. Nothing else may run at the same time. `npm run
// bench -- --only shaper` measures how late the shaper is on an idle machine, and also tests delays at 20 Mbps.
import { describe, expect, it } from 'vitest';

import {
  binomialInterval,
  excessUs,
  quantile,
  rateRatio,
  sendThrough,
  type Traffic,
} from '../../scripts/lib/wire.mjs';
import { closeAfterEach, linkWith } from './links.js';

closeAfterEach();

/** The ratio of a link's measured rate to its capacity. The sender sends 1.3 times the capacity. */
async function overloaded(
  capacityBps: number,
  traffic: Pick<Traffic, 'sizeBytes' | 'durationS'>,
): Promise<number> {
  const link = await linkWith({ capacity: capacityBps, rtt: 20 });
  const passage = await sendThrough(link, { ...traffic, rateBps: 1.3 * capacityBps });
  expect(passage.sequence.length).toBeLessThan(passage.sentUs.length);
  return rateRatio(passage, capacityBps);
}

// A failed test is retried, since another program may have kept the CPU busy. With a faulty shaper, every
// retry fails.
describe('the shaper, on the wire', { timeout: 60_000, retry: 2 }, () => {
  it.each([
    [100e3, 250],
    [1e6, 1250],
    [5e6, 1250],
    [20e6, 1250],
  ])('has its rate within 2 %%: %d bit/s', async (capacityBps, sizeBytes) => {
    const ratio = await overloaded(capacityBps, { sizeBytes, durationS: 4 });
    expect(ratio).toBeGreaterThan(0.98);
    expect(ratio).toBeLessThan(1.02);
  });

  it('has their rates with four links at once', async () => {
    const ratios = await Promise.all(
      [0.3e6, 0.6e6, 1e6, 2e6].map((capacityBps) =>
        overloaded(capacityBps, { sizeBytes: 500, durationS: 4 }),
      ),
    );
    for (const ratio of ratios) {
      expect(ratio).toBeGreaterThan(0.98);
      expect(ratio).toBeLessThan(1.02);
    }
  });

  it.each([300e3, 1e6, 5e6])('delays as Lindley says, and never less: %d bit/s', async (capacityBps) => {
    const link = await linkWith({ capacity: capacityBps, rtt: 50, queue: 'droptail:1000p' });
    const sizeBytes = 600;
    const traffic = { rateBps: 0.6 * capacityBps, sizeBytes, durationS: 4, pattern: 'poisson' } as const;
    const passage = await sendThrough(link, traffic);
    expect(passage.sequence.length).toBe(passage.sentUs.length);
    const excess = excessUs(passage, { capacityBps, oneWayDelayUs: 25_000 });
    // Tolerates a microsecond, because the sender and the receiver read the clock in different threads.
    expect(Math.min(...excess)).toBeGreaterThan(-1);
    expect(quantile(excess, 0.95)).toBeLessThan(3000 + (sizeBytes * 8e6) / capacityBps);
  });

  it.each([0.01, 0.1])('loses what it should: %d', async (loss) => {
    const one = async (seed: number) => {
      const link = await linkWith({ capacity: '20mbps', rtt: 0, seed });
      const { sentUs, sequence } = await sendThrough(link, {
        rateBps: 0.8e6,
        sizeBytes: 250,
        durationS: 5,
        // Sets the loss only now, so that earlier packets draw no numbers from the random generator.
        prepare: () => link.set({ loss }),
      });
      return { sent: sentUs.length, lost: sentUs.length - sequence.length };
    };
    const all = await Promise.all([1, 2, 3].map(one));
    const sum = (of: 'sent' | 'lost') => all.reduce((total, link) => total + link[of], 0);
    const [least, most] = binomialInterval(sum('sent'), loss, 0.99);
    expect(sum('lost')).toBeGreaterThanOrEqual(least);
    expect(sum('lost')).toBeLessThanOrEqual(most);
  });

  it('keeps a change of the capacity', async () => {
    const link = await linkWith({ capacity: '2mbps', rtt: 0 });
    const passage = await sendThrough(link, {
      rateBps: 2.6e6,
      sizeBytes: 1250,
      durationS: 4,
      prepare: () => link.set({ capacity: '2mbps,0.5mbps@2s' }),
    });
    const { receivedUs } = passage;
    const begunUs = receivedUs[0] ?? NaN;
    // The link is overloaded, so the gap between two arrivals is the transmission time of one packet.
    const gaps = Array.from(receivedUs.subarray(1), (timeUs, i) => ({
      atUs: timeUs - begunUs,
      gapUs: timeUs - (receivedUs[i] ?? NaN),
    }));
    const median = (fromUs: number, toUs: number) =>
      quantile(
        gaps.filter(({ atUs }) => atUs > fromUs && atUs < toUs).map(({ gapUs }) => gapUs),
        0.5,
      );
    expect(median(0.5e6, 1.8e6)).toBeGreaterThan(4500);
    expect(median(0.5e6, 1.8e6)).toBeLessThan(5500);
    expect(median(2.3e6, 3.8e6)).toBeGreaterThan(18_000);
    expect(median(2.3e6, 3.8e6)).toBeLessThan(22_000);
  });

  it('is judged by a rate that tells links of 0.95 and 1.05 of their capacity', async () => {
    const ratioOf = async (factor: number) => {
      const link = await linkWith({ capacity: factor * 1e6, rtt: 20 });
      return rateRatio(await sendThrough(link, { rateBps: 1.3e6, sizeBytes: 500, durationS: 4 }), 1e6);
    };
    const factors = [0.95, 1.05];
    const ratios = await Promise.all(factors.map(ratioOf));
    for (const [i, factor] of factors.entries()) {
      expect(ratios[i]).toBeGreaterThan(factor - 0.02);
      expect(ratios[i]).toBeLessThan(factor + 0.02);
    }
  });

  it('is judged by intervals that are those of tables', () => {
    // Binomial distribution with n = 100 and p = 0.5: P(X <= 36) = 0.0033, P(X <= 37) = 0.0060.
    expect(binomialInterval(100, 0.5, 0.99)).toEqual([37, 63]);
    // Binomial distribution with n = 10 and p = 0.1: P(X = 0) = 0.3487, P(X >= 5) = 0.0016, P(X >= 4) = 0.0128.
    expect(binomialInterval(10, 0.1, 0.99)).toEqual([0, 4]);
  });
});
