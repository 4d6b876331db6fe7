/** The large tables of a record are stored as columns of numbers. */
import { NUMBERS_PER_FRAME } from '../../inject/protocol.js';
import type { FrameColumns, PacketColumns } from './record.js';

const FIRST_CAPACITY = 256;

/** The columns of FrameColumns, in the order of the numbers in a `frames` message. */
export const FRAME_COLUMNS = [
  'ssrc',
  'rtpTimestamp',
  'arrivalUs',
  'sizeBytes',
  'keyFrame',
  'spatialIndex',
  'temporalIndex',
] as const;
/** The columns of PacketColumns, in the order of the packet log. */
export const PACKET_COLUMNS = [
  'offeredUs',
  'sizeBytes',
  'queueDelayUs',
  'departUs',
  'reason',
  'flow',
] as const satisfies readonly (keyof PacketColumns)[];

/** Drops the first `count` rows. The arrays keep their lengths. */
export function dropRows<Name extends string>(
  table: { rows: number } & Record<Name, Float64Array>,
  names: readonly Name[],
  count: number,
): void {
  if (count === 0) return;
  for (const name of names) table[name].copyWithin(0, count, table.rows);
  table.rows -= count;
}

/** Empty columns with room for `capacity` rows. */
export function frameColumns(capacity = FIRST_CAPACITY): FrameColumns {
  const column = () => new Float64Array(capacity);
  return {
    rows: 0,
    ssrc: column(),
    rtpTimestamp: column(),
    arrivalUs: column(),
    sizeBytes: column(),
    keyFrame: column(),
    spatialIndex: column(),
    temporalIndex: column(),
  };
}

function grow(frames: FrameColumns, rows: number): void {
  if (rows <= frames.ssrc.length) return;
  for (const name of FRAME_COLUMNS) {
    const wider = new Float64Array(Math.max(rows, 2 * frames[name].length));
    wider.set(frames[name]);
    frames[name] = wider;
  }
}

/** Adds the frames of a message; `numbers` has NUMBERS_PER_FRAME numbers for each frame. */
export function addFrames(frames: FrameColumns, numbers: readonly number[]): void {
  const more = Math.floor(numbers.length / NUMBERS_PER_FRAME);
  grow(frames, frames.rows + more);
  for (let row = 0; row < more; row++) {
    FRAME_COLUMNS.forEach((name, i) => {
      frames[name][frames.rows + row] = numbers[row * NUMBERS_PER_FRAME + i] ?? NaN;
    });
  }
  frames.rows += more;
}
