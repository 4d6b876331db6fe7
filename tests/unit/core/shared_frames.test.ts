/**
 * The receiver parts ("halves") of several controllers can share the analysis of one stream's frames. Each must
 * give the same results as without sharing.
 */
import { beforeAll, describe, expect, it } from 'vitest';

import {
  CoreError,
  loadCore,
  type ArrivalInput,
  type Core,
  type ReceiverHalf,
} from '../../../src/core/index.js';
import { randomNumbers } from '../watch/calls.js';

const CONTROLLERS = [
  { controller: 'gcc', preset: 'gcc-live' },
  { controller: 'nada', preset: 'nada-live' },
  { controller: 'lcc', preset: 'lcc-live' },
] as const;

let core: Core;
beforeAll(async () => {
  core = await loadCore();
});

/**
 * A minute of video at 30 fps over a link whose capacity changes. Some frames are late, lost or overtaken, and
 * there is a pause.
 */
function* arrivals(): Generator<ArrivalInput> {
  const random = randomNumbers(17);
  let [freeUs, arrivalUs] = [0, 0];
  for (let seq = 0; seq < 1800; seq++) {
    const sendTimeUs = seq * 33_333 + (seq > 900 ? 3e6 : 0);
    const sizeBytes = Math.round((seq % 300 === 0 ? 20_000 : 3000) * (0.6 + 0.8 * random()));
    const capacityBps = [1.4e6, 0.7e6, 2.5e6][Math.floor(sendTimeUs / 10e6) % 3] ?? 1e6;
    freeUs = Math.min(Math.max(freeUs, sendTimeUs) + (sizeBytes * 8e6) / capacityBps, sendTimeUs + 4e5);
    if (random() < 0.02) continue;
    const lateUs = random() < 0.03 ? 30_000 : 500 * random();
    arrivalUs = Math.max(arrivalUs + 1, Math.round(freeUs + 25_000 + lateUs));
    const overtaken = random() < 0.02 ? seq - 1 : seq;
    yield { seq: overtaken, sendTimeUs, arrivalTimeUs: arrivalUs, sizeBytes, rttUs: 50_000 };
  }
}

const rowsOf = (half: ReceiverHalf): unknown[] =>
  half.drain().map(({ table, rows, columns }) => [table, rows, columns.map((column) => [...column])]);

describe('halves that share frames', () => {
  it('record the rows that they record alone', () => {
    const alone = CONTROLLERS.map((options) => core.createReceiver(options));
    const together = CONTROLLERS.map((options) => core.createReceiver(options));
    const [first, ...others] = together;
    for (const each of others) if (first !== undefined) each.shareFrames(first);
    for (const arrival of arrivals()) for (const half of [...alone, ...together]) half.pushArrival(arrival);
    for (const [i, half] of together.entries()) {
      const rows = rowsOf(half);
      expect(rows.length).toBeGreaterThan(1);
      expect(rows).toEqual(alone[i] === undefined ? [] : rowsOf(alone[i]));
    }
    for (const half of [...alone, ...together]) half.destroy();
  });

  it('go on when the one that was first is gone', () => {
    const [first, second] = [core.createReceiver(CONTROLLERS[0]), core.createReceiver(CONTROLLERS[1])];
    const alone = core.createReceiver(CONTROLLERS[1]);
    second.shareFrames(first);
    const all = [...arrivals()];
    for (const arrival of all.slice(0, 300))
      for (const half of [first, second, alone]) half.pushArrival(arrival);
    first.destroy();
    expect(rowsOf(second)).toEqual(rowsOf(alone));
    for (const arrival of all.slice(300)) for (const half of [second, alone]) half.pushArrival(arrival);
    const rows = rowsOf(second);
    expect(rows.length).toBeGreaterThan(1);
    expect(rows).toEqual(rowsOf(alone));
    for (const half of [second, alone]) half.destroy();
  });

  it('are refused once one of them has had an arrival', () => {
    const [first, second] = [core.createReceiver(CONTROLLERS[0]), core.createReceiver(CONTROLLERS[1])];
    for (const arrival of [...arrivals()].slice(0, 1)) first.pushArrival(arrival);
    expect(() => second.shareFrames(first)).toThrow(CoreError);
    for (const half of [first, second]) half.destroy();
  });
});
