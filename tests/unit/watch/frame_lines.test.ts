/**
 * Received frames in a trace: what is read back equals what was written, except that SSRCs are replaced with
 * aliases.
 */
import { expect, it } from 'vitest';

import { NO_LAYER } from '../../../src/inject/protocol.js';
import { frameFields, frameRows } from '../../../src/watch/frame_lines.js';

const alias = (ssrc: number): number => ssrc - 7000;
const original = (name: number): number => name + 7000;
const plain = (ssrc: number): number[] => [ssrc, 90_000, 1_000_000, 1200, 1, NO_LAYER, NO_LAYER];
const layered = (ssrc: number): number[] => [ssrc, 93_000, 1_033_000, 900, 0, 1, 2];

it('frames of which no layer is told have five numbers each', () => {
  const fields = frameFields([...plain(7001), ...plain(7002)], alias);
  expect(fields).toEqual({
    rows: [...[1, 90_000, 1_000_000, 1200, 1], ...[2, 90_000, 1_000_000, 1200, 1]],
  });
  expect(frameRows(fields, original)).toEqual([...plain(7001), ...plain(7002)]);
});

it('layers stand apart, also those of some frames only', () => {
  const told = [...plain(7001), ...layered(7002)];
  const fields = frameFields(told, alias);
  expect(fields.layers).toEqual([NO_LAYER, NO_LAYER, 1, 2]);
  expect(frameRows(fields, original)).toEqual(told);
});

it('a line of a file that lacks numbers gives the available ones', () => {
  const rows = [...[1, 90_000, null, 1200, 0], ...[2, 90_000]];
  expect(frameRows({ rows, layers: [1] }, original)).toEqual([7001, 90_000, NaN, 1200, 0, 1, NO_LAYER]);
});
