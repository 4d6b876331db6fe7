import { describe, expect, it } from 'vitest';

import { callMetrics, DroppedRecordError, type CallMetrics } from '../../../src/judge/index.js';
import { addFrames, frameColumns } from '../../../src/calls/record/columns.js';
import { Keeper } from '../../../src/calls/record/keep.js';
import type { CallRecord } from '../../../src/calls/record/record.js';
import { Shadows } from '../../../src/calls/record/shadows.js';
import { callRecord, frames, steady, videoSamples } from '../judge/synthetic.js';

const KEPT_S = 16;
const DROPPED_S = 64;

function longCall(backend: 'shaper' | 'none'): CallRecord {
  const { sent, received } = videoSamples(0, 100, 5e5, { availableOutgoingBps: 6e5 });
  const each = Array.from({ length: 3000 }, (_, i) => ({ arrivalS: i / 30 }));
  return callRecord({
    backend,
    packets: steady(0, 100, 5e5, { queueDelayMs: 20 }),
    capacity: [
      { atS: 0, bps: 2e6 },
      { atS: 50, bps: 1e6 },
    ],
    offerer: { samples: sent },
    answerer: { samples: received, frames: frames(each) },
  });
}

function dropped(record: CallRecord): CallRecord {
  const keeper = new Keeper(record, KEPT_S * 1e6, new Shadows(record));
  for (let timeS = 1; timeS <= KEPT_S + DROPPED_S; timeS++) keeper.advance(timeS * 1e6);
  return record;
}

const over = (record: CallRecord, fromS: number, toS: number) =>
  callMetrics(record, {}, { fromUs: fromS * 1e6, toUs: toS * 1e6 });

describe.each(['shaper', 'none'] as const)('the record of a long call (link: %s)', (backend) => {
  const bounded = dropped(longCall(backend));
  const keptS = (bounded.endpoints[0]?.keptFromUs ?? NaN) / 1e6;

  it('says from when on it is kept: as much as was asked for, and an eighth more at most', () => {
    expect(keptS).toBeLessThanOrEqual(DROPPED_S);
    expect(keptS).toBeGreaterThan(DROPPED_S - KEPT_S / 8 - 1);
    expect(bounded.notices.map(({ code }) => code)).toEqual(['record-bounded']);
  });

  it('has lost what is older', () => {
    const [offerer, answerer] = bounded.endpoints;
    // Samples are half a second apart. The last sample that is not later than `keptS` is also kept.
    expect(offerer?.samples).toHaveLength((100 - keptS) * 2 + 1);
    expect(answerer?.frames.rows).toBe((100 - keptS) * 30);
    if (backend === 'none') return;
    expect(bounded.link?.forward?.packets.rows).toBe((100 - keptS) * 50);
    expect(bounded.link?.forward?.capacity).toEqual([{ timeUs: 50e6, capacityBps: 1e6 }]);
  });

  it('gives the numbers of the whole record where it is kept, and none before', () => {
    const [numbers, whole] = [over(bounded, keptS, 100), over(longCall(backend), keptS, 100)];
    for (const [name, value] of Object.entries(whole))
      if (typeof value === 'number') expect(numbers[name as keyof CallMetrics], name).toBeCloseTo(value, 6);
      else expect(numbers[name as keyof CallMetrics], name).toEqual(value);
    expect(over(bounded, keptS, 100).receivedBps).toBeCloseTo(5e5, 6);
    expect(() => over(bounded, keptS - 1, 100)).toThrow(DroppedRecordError);
    expect(callMetrics(bounded).window.fromUs).toBe(keptS * 1e6);
  });
});

describe('a connection that ended before what is kept', () => {
  it('has nothing left to measure, and nothing that takes memory', () => {
    const record = longCall('none');
    for (const { states } of record.endpoints) states.push({ timeUs: 10e6, state: 'closed' });
    dropped(record);
    const { window, receivedBps } = callMetrics(record);
    expect(window.toUs).toBe(window.fromUs);
    expect(receivedBps).toBeNull();
    expect(record.endpoints.map((endpoint) => endpoint.frames.ssrc.length)).toEqual([0, 0]);
    expect(record.endpoints.map((endpoint) => endpoint.samples.length <= 100)).toEqual([true, true]);
  });
});

it('the columns of a call that goes on do not grow', () => {
  const record = longCall('none');
  const [endpoint] = record.endpoints;
  if (endpoint === undefined) throw new Error('a call has endpoints');
  endpoint.frames = frameColumns();
  const keeper = new Keeper(record, KEPT_S * 1e6, new Shadows(record));
  for (let frame = 0; frame < 100_000; frame++) {
    const timeUs = (frame / 30) * 1e6;
    addFrames(endpoint.frames, [11, frame * 3000, timeUs, 1000, 0]);
    keeper.advance(timeUs);
  }
  expect(endpoint.frames.ssrc.length).toBeLessThanOrEqual(1024);
});
