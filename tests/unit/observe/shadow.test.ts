import { beforeAll, describe, expect, it } from 'vitest';

import { loadCore, tableSpec, type Core, type TableName, type TraceBatch } from '../../../src/core/index.js';
import { NO_LAYER } from '../../../src/inject/protocol.js';
import { StreamShadow } from '../../../src/calls/record/shadow.js';
import { SHADOW } from '../../../src/calls/record/shadow_flow.js';

let core: Core;
beforeAll(async () => {
  core = await loadCore();
});

const FRAME_US = 33_333;
const TICKS_PER_FRAME = 3000;

/** The values of a column, in the order of the rows. */
function column(batches: readonly TraceBatch[], table: TableName, name: string): number[] {
  const index = tableSpec(table).columns.findIndex((each) => each.name === name);
  return batches
    .filter((batch) => batch.table === table)
    .flatMap(({ columns, rows }) => [...(columns[index] ?? []).slice(0, rows)]);
}

/**
 * The rows of a shadow (a controller that only watches) that gets frames of 4 kB at 30 fps. `delayUs` returns
 * the delay of each frame. With `twice`, each frame arrives twice.
 */
function shadowed(frames: number, delayUs: (frame: number) => number, twice = false): TraceBatch[] {
  const shadow = new StreamShadow(core, [{ ...SHADOW, flow: 3 }]);
  const batches: TraceBatch[] = [];
  for (let i = 0; i < frames; i++) {
    // RTP timestamps start just below 2^32, so they soon wrap.
    const rtpTimestamp = (2 ** 32 - 10 * TICKS_PER_FRAME + i * TICKS_PER_FRAME) % 2 ** 32;
    const frame = {
      rtpTimestamp,
      arrivalUs: 5e6 + i * FRAME_US + delayUs(i),
      sizeBytes: 4000,
      keyFrame: i === 0,
      mayMiss: false,
      spatialIndex: NO_LAYER,
    };
    shadow.frame(frame);
    if (twice) shadow.frame(frame);
    if (i % 15 === 14) batches.push(...shadow.advance(frame.arrivalUs));
  }
  batches.push(...shadow.advance(5e6 + frames * FRAME_US + 1e6));
  shadow.destroy();
  return batches;
}

describe('the controller beside a call', () => {
  it('sees a path that stays as it is: d(m) is 0, nothing is overused', () => {
    const batches = shadowed(90, () => 0);
    expect(column(batches, 'arrival', 'flow')).toEqual(Array.from({ length: 90 }, () => 3));
    const variation = column(batches, 'group', 'delay_variation_ms');
    expect(variation.length).toBeGreaterThan(80);
    for (const value of variation) expect(Math.abs(value)).toBeLessThan(0.01);
    const signal = tableSpec('group').columns.find(({ name }) => name === 'signal');
    expect(new Set(column(batches, 'group', 'signal'))).toEqual(new Set([signal?.values?.indexOf('normal')]));
  });

  it('sees a queue that grows by 5 ms with each frame, and asks for less than before', () => {
    const grows = shadowed(120, (i) => Math.max(0, i - 45) * 5000);
    const variation = column(grows, 'group', 'delay_variation_ms').slice(-20);
    for (const value of variation) expect(value).toBeCloseTo(5, 1);
    expect(new Set(column(grows, 'group', 'signal')).size).toBeGreaterThan(1);
    const asked = column(grows, 'rate', 'a_r_bps').filter((bps) => bps > 0);
    expect(asked.at(-1)).toBeLessThan(Math.max(...asked));
  });

  it('gives a rate at each feedback, at its time', () => {
    const batches = shadowed(90, () => 0);
    const times = column(batches, 'rate', 'time_us');
    expect(times.length).toBeGreaterThan(2);
    expect(times).toEqual(column(batches, 'feedback', 'time_us'));
  });

  it('takes a copy of a frame for no second one', () => {
    expect(
      column(
        shadowed(60, () => 0, true),
        'arrival',
        'seq',
      ),
    ).toHaveLength(60);
  });
});
