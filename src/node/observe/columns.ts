import { NUMBERS_PER_FRAME } from '../../inject/protocol.js';
import type { FrameColumns } from './record.js';

const FIRST_CAPACITY = 256;
const NAMES = ['ssrc', 'rtpTimestamp', 'arrivalUs', 'sizeBytes', 'keyFrame'] as const;

export function frameColumns(): FrameColumns {
  const column = () => new Float64Array(FIRST_CAPACITY);
  return {
    rows: 0,
    ssrc: column(),
    rtpTimestamp: column(),
    arrivalUs: column(),
    sizeBytes: column(),
    keyFrame: column(),
  };
}

function grow(frames: FrameColumns, rows: number): void {
  if (rows <= frames.ssrc.length) return;
  for (const name of NAMES) {
    const wider = new Float64Array(Math.max(rows, 2 * frames[name].length));
    wider.set(frames[name]);
    frames[name] = wider;
  }
}

/** Adds the frames of a message; `numbers` has NUMBERS_PER_FRAME for each. */
export function addFrames(frames: FrameColumns, numbers: readonly number[]): void {
  const more = Math.floor(numbers.length / NUMBERS_PER_FRAME);
  grow(frames, frames.rows + more);
  for (let row = 0; row < more; row++) {
    NAMES.forEach((name, i) => {
      frames[name][frames.rows + row] = numbers[row * NUMBERS_PER_FRAME + i] ?? NaN;
    });
  }
  frames.rows += more;
}
