import { describe, expect, it } from 'vitest';

import {
  capacityBits,
  linkMetrics,
  stepsSince,
  timeTo90,
  timeToShortQueue,
  utilisation,
} from '../../src/calls/metrics.js';
import { PacketLog, type PacketRecord } from '../../src/link/packet_log.js';
import { median, percentiles } from '../../src/calls/percentile.js';

const record = (departUs: number, sizeBytes = 1250, queueDelayUs = 0): PacketRecord => ({
  offeredUs: departUs - queueDelayUs,
  sizeBytes,
  queueDelayUs,
  departUs,
  dropped: null,
});

/** Packets of 1250 bytes (10,000 bits) at an even rate. The first one departs one interval after `fromUs`. */
function steady(fromUs: number, toUs: number, bps: number): PacketRecord[] {
  const intervalUs = 1e10 / bps;
  return Array.from({ length: Math.floor((toUs - fromUs) / intervalUs) }, (_, i) =>
    record(fromUs + (i + 1) * intervalUs),
  );
}

const ONE_MBPS = [{ atUs: 0, capacityBps: 1e6 }];
const STEPS = [
  { atUs: 0, capacityBps: 1e6 },
  { atUs: 2e6, capacityBps: 5e5 },
  { atUs: 4e6, capacityBps: 2e6 },
];

describe('percentiles by nearest rank', () => {
  it('takes the values that the definition names', () => {
    // With n = 5 the ranks are ceil(2.5) = 3, ceil(4.75) = 5 and ceil(1) = 1.
    expect(percentiles([50, 15, 20, 35, 40], [50, 95, 20])).toEqual([35, 50, 15]);
    expect(percentiles([7], [50, 99])).toEqual([7, 7]);
    expect(percentiles([], [50])).toEqual([NaN]);
  });

  it('takes medians of odd and even numbers of values', () => {
    expect(median([3, 1, 2])).toBe(2);
    expect(median([4, 1, 2, 3])).toBe(2.5);
  });
});

describe('utilisation', () => {
  it('integrates a changing capacity', () => {
    // 1 s at 1 Mbps, 2 s at 0.5 Mbps and 1 s at 2 Mbps.
    expect(capacityBits(STEPS, { fromUs: 1e6, toUs: 5e6 })).toBe(4e6);
    expect(capacityBits(STEPS, { fromUs: 2.5e6, toUs: 3e6 })).toBe(250_000);
  });

  it('is the share of the capacity that was used', () => {
    const records = steady(0, 10e6, 800_000);
    expect(utilisation(records, ONE_MBPS, { fromUs: 2e6, toUs: 8e6 })).toBeCloseTo(0.8, 9);
  });

  it('counts a departure at the end of a window and not one at its begin', () => {
    const records = [record(1e6), record(2e6)];
    expect(utilisation(records, ONE_MBPS, { fromUs: 1e6, toUs: 2e6 })).toBe(0.01);
  });
});

describe('time to 90 %', () => {
  it('is when the trailing two seconds reach it', () => {
    // At the full rate from the start, 1.8 Mbit have left the link at 1.8 s, when packet 180 departs.
    expect(timeTo90(steady(0, 10e6, 1e6), 1e6, { fromUs: 0, toUs: 10e6 })).toBeCloseTo(1.8, 9);
    // Half the rate until 5 s, then the full rate. At 5 s + x, the trailing 2 s contain x s of the full rate:
    // (2 - x) / 2 + x = 1.8, so x = 1.6.
    const records = [...steady(0, 5e6, 5e5), ...steady(5e6, 10e6, 1e6)];
    expect(timeTo90(records, 1e6, { fromUs: 0, toUs: 10e6 })).toBeCloseTo(6.6, 1);
  });

  it('is null if it never does, and ignores what left before', () => {
    expect(timeTo90(steady(0, 10e6, 890_000), 1e6, { fromUs: 0, toUs: 10e6 })).toBeNull();
    expect(timeTo90(steady(0, 10e6, 1e6), 1e6, { fromUs: 5e6, toUs: 10e6 })).toBeCloseTo(1.8, 9);
  });
});

describe('time to a short queue', () => {
  const window = { fromUs: 0, toUs: 10e6 };

  it('ends with the last long delay before a second of short ones', () => {
    const delays = [10, 60, 200, 90, 49, 51, 20, 20, 20, 20, 20, 20]; // in ms; one packet every 250 ms
    const records = delays.map((ms, i) => record((i + 1) * 250_000, 1250, ms * 1000));
    expect(timeToShortQueue(records, window)).toBe(1.5); // the departure of the packet that waited 51 ms
  });

  it('is 0 for a queue that was short all the time and null for one that never was', () => {
    expect(timeToShortQueue(steady(0, 10e6, 1e6), window)).toBe(0);
    const long = Array.from({ length: 100 }, (_, i) => record((i + 1) * 1e5, 1250, 80_000));
    expect(timeToShortQueue(long, window)).toBeNull();
  });
});

describe('the metrics of a run', () => {
  it('measures queue and utilisation over the last two thirds, losses over all of it', () => {
    const log = new PacketLog();
    const offset = 5e6; // the time at which the run begins
    for (const { departUs, sizeBytes } of steady(0, 3e6, 5e5)) {
      log.delivered({
        packetId: 0,
        offeredUs: offset + departUs - 100_000,
        sizeBytes,
        departUs: offset + departUs,
        deliverUs: 0,
        queueDelayUs: departUs < 1e6 ? 250_000 : 20_000,
      });
    }
    for (let i = 0; i < 50; i++) {
      log.dropped({
        offeredUs: offset + 500_000,
        timeUs: offset + 500_000,
        sizeBytes: 1250,
        reason: 'queue-full',
      });
    }
    const m = linkMetrics(log.records(), ONE_MBPS, { fromUs: offset, toUs: offset + 3e6 });
    expect(m.utilisation).toBeCloseTo(0.5, 9);
    expect(m.queue_delay_ms).toEqual({ p50: 20, p95: 20, p99: 20 });
    expect(m.drops).toBe(50);
    // The four packets that were offered before the run began are not counted, so 146 were delivered and 50
    // dropped.
    expect(m.loss_ratio).toBeCloseTo(50 / 196, 2);
    expect(m.time_to_90pct_s).toBeNull();
  });

  it('judges each step of a schedule by itself', () => {
    const records = [...steady(0, 2e6, 1e6), ...steady(2e6, 4e6, 25e4), ...steady(4e6, 8e6, 2e6)];
    const { steps } = linkMetrics(records, STEPS, { fromUs: 0, toUs: 8e6 });
    expect(steps.map(({ at_s }) => at_s)).toEqual([0, 2, 4]);
    for (const [i, share] of [1, 0.5, 1].entries()) expect(steps[i]?.utilisation).toBeCloseTo(share, 2);
    expect(steps.map((s) => s.time_to_90pct_s)).toEqual([
      expect.closeTo(1.8, 2),
      null,
      expect.closeTo(1.8, 2),
    ]);
  });

  it('has neither a utilisation nor a short queue during an outage', () => {
    const records = [...steady(0, 2e6, 1e6), ...steady(4e6, 8e6, 1e6)];
    const outage = [
      { atUs: 0, capacityBps: 1e6 },
      { atUs: 2e6, capacityBps: 0 },
      { atUs: 4e6, capacityBps: 1e6 },
    ];
    const { steps } = linkMetrics(records, outage, { fromUs: 0, toUs: 8e6 });
    expect(steps[1]).toMatchObject({
      capacity_bps: 0,
      utilisation: null,
      time_to_90pct_s: null,
      queue_below_50ms_after_s: null,
    });
    expect(steps[2]?.utilisation).toBeCloseTo(1, 2);
  });

  it('has no utilisation if the link was down for all of the last two thirds', () => {
    const down = [
      { atUs: 0, capacityBps: 1e6 },
      { atUs: 2e6, capacityBps: 0 },
    ];
    const records = steady(0, 2e6, 8e5);
    const window = { fromUs: 0, toUs: 9e6 };
    expect(linkMetrics(records, down, window)).toMatchObject({
      utilisation: null,
      steps: [{ utilisation: expect.closeTo(0.8, 9) as number }, { utilisation: null }],
    });
    expect(utilisation(records, down, { fromUs: 2e6, toUs: 9e6 })).toBeNull();
    expect(utilisation(records, down, { fromUs: 1e6, toUs: 9e6 })).toBeCloseTo(0.8, 9);
    // These last two thirds begin half a second before the outage.
    expect(linkMetrics(records, down, { fromUs: 0, toUs: 4.5e6 }).utilisation).toBeCloseTo(0.8, 9);
  });

  it('counts steps from the start of the run in whole microseconds, though the clock has fractions', () => {
    const fromUs = 1_234_567.3;
    const changes = [
      { timeUs: 0, capacityBps: 1e6 },
      { timeUs: fromUs + 4e6 - 1e-9, capacityBps: 5e5 },
      { timeUs: fromUs + 5e6 + 1e-9, capacityBps: 1e6 },
    ];
    expect(stepsSince(changes, fromUs).map(({ atUs }) => atUs)).toEqual([0, 4e6, 5e6]);
  });

  it('leaves out steps that the run did not reach', () => {
    expect(linkMetrics(steady(0, 3e6, 1e6), STEPS, { fromUs: 0, toUs: 3e6 }).steps).toHaveLength(2);
  });

  it('has no percentiles for a call that sent nothing', () => {
    const m = linkMetrics([], ONE_MBPS, { fromUs: 0, toUs: 3e6 });
    expect(m).toMatchObject({
      utilisation: 0,
      loss_ratio: 0,
      time_to_90pct_s: null,
      queue_delay_ms: { p50: null },
    });
  });
});
