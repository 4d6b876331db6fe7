/** The seat of a sender half: without feedback, the losses in receiver reports lower its rate. */
import { describe, expect, it } from 'vitest';

import {
  TABLE_SPECS,
  type Feedback,
  type RateUpdate,
  type TraceBatch,
  type TableName,
} from '../../../src/core/index.js';
import type { SenderSlot, SlotConfig } from '../../../src/worker/slot.js';
import { SenderSeat } from '../../../src/worker/media/sender_seat.js';

const OWN_BPS = 1_000_000;
const FEEDBACK = {} as Feedback;

/** A half that always wants the same rate, and records a row of the table `rate` for each `run`. */
class SteadySlot implements SenderSlot {
  readonly #rows: number[] = [];
  pushFeedback(): void {}
  pushReceiverReport(): void {}
  pushSent(): void {}
  setParameter(): void {}
  setPreset(): void {}
  destroy(): void {}

  run(nowUs: number): RateUpdate {
    this.#rows.push(nowUs);
    return { targetBps: OWN_BPS, pacingBps: OWN_BPS, aSBps: NaN, aRBps: NaN, fractionLost: NaN, rttUs: NaN };
  }

  drain(): TraceBatch[] {
    const columns = TABLE_SPECS.find(({ name }) => name === 'rate')?.columns ?? [];
    const times = this.#rows.splice(0);
    const valueOf = (name: string, timeUs: number) =>
      name === 'time_us' ? timeUs : name === 'target_bps' ? OWN_BPS : NaN;
    return [
      {
        table: 'rate' satisfies TableName,
        rows: times.length,
        columns: columns.map(({ name }) => Float64Array.from(times, (time) => valueOf(name, time))),
      },
    ];
  }
}

/** A seat that gets a report on 100 more packets each second. */
function seated(choice: Partial<SlotConfig>) {
  const config = { flow: 0, name: 'in charge', parameters: { min_bitrate_bps: 200_000 }, ...choice };
  const seat = new SenderSeat(new SteadySlot(), config);
  let seconds = 0;
  const total = { packetsSent: 0, packetsLost: 0 };
  /** The target after the next second, in which this fraction of the packets is lost. */
  const after = (lost: number, { hasFeedback = false } = {}): number => {
    seconds += 1;
    total.packetsSent += 100;
    total.packetsLost += 100 * lost;
    if (hasFeedback) seat.pushFeedback(FEEDBACK, seconds * 1e6);
    seat.receiverReport({ ...total }, seconds * 1e6);
    return seat.run(seconds * 1e6).targetBps;
  };
  const recorded = (): number[] => {
    const column = TABLE_SPECS.find(({ name }) => name === 'rate')?.columns.findIndex(
      ({ name }) => name === 'target_bps',
    );
    return seat.drain().flatMap(({ columns }) => [...(columns[column ?? -1] ?? [])]);
  };
  return { seat, after, recorded };
}

const HEARD = { hasFeedback: true };

describe.each([
  ['NADA', { controller: 'nada' }],
  ['NADA by its preset', { preset: 'nada-live' }],
  ['LCC', { controller: 'lcc' }],
  ['a controller of the user', { url: 'mine.js' }],
] as const)('%s, without feedback', (_, choice) => {
  it('falls by half of the losses in each report, and has its own target again with feedback', () => {
    const { after } = seated(choice);
    for (let i = 0; i < 3; i++) expect(after(0.5, HEARD)).toBe(OWN_BPS);
    // This report comes within 1.5 s of the last feedback.
    expect(after(0.5)).toBe(OWN_BPS);
    expect(after(0.5)).toBe(0.75 * OWN_BPS);
    expect(after(0.2)).toBeCloseTo(0.9 * 0.75 * OWN_BPS);
    expect(after(0.5, HEARD)).toBe(OWN_BPS);
  });

  it('stays between 2 % and 10 %, and rises slowly below, but not above its own target', () => {
    const { after } = seated(choice);
    after(0);
    expect(after(0.2)).toBeCloseTo(0.9 * OWN_BPS);
    expect(after(0.05)).toBeCloseTo(0.9 * OWN_BPS);
    expect(after(0)).toBeCloseTo(1.05 * 0.9 * OWN_BPS);
    for (let i = 0; i < 5; i++) after(0);
    expect(after(0)).toBe(OWN_BPS);
    expect(after(0.5)).toBe(0.75 * OWN_BPS);
  });

  it('falls no lower than the call allows, and rises from there', () => {
    const { after, seat } = seated(choice);
    for (let i = 0; i < 60; i++) after(0.9);
    expect(after(0.9)).toBe(200_000);
    expect(after(0)).toBeCloseTo(1.05 * 200_000);
    seat.setParameter('min_bitrate_bps', 100_000);
    for (let i = 0; i < 60; i++) after(0.9);
    expect(after(0.9)).toBe(100_000);
  });

  it('records the target that is applied', () => {
    const { after, recorded } = seated(choice);
    const applied = [0, 0.5, 0.5, 0].map((lost) => after(lost));
    expect(recorded()).toEqual(applied);
    expect(new Set(applied).size).toBe(4);
  });

  it('counts anew after the counters of the browser have begun anew', () => {
    const { after, seat } = seated(choice);
    after(0.5);
    seat.receiverReport({ packetsSent: 10, packetsLost: 0 }, 1.5e6);
    expect(seat.run(1.5e6).targetBps).toBe(OWN_BPS);
  });
});

describe('GCC, without feedback', () => {
  it.each([{ controller: 'gcc' }, { preset: 'gcc-live' }] as const)('counts losses itself: %o', (choice) => {
    const { after } = seated(choice);
    for (let i = 0; i < 5; i++) expect(after(0.5)).toBe(OWN_BPS);
  });
});
