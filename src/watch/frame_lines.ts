/**
 * Converts received frames to the fields of a line in a trace, and back. The layers of frames have their own
 * field, because most browsers and codecs do not report layers.
 */
import { FRAME_COLUMNS } from '../calls/record/columns.js';
import { NO_LAYER, NUMBERS_PER_FRAME } from '../inject/protocol.js';

export interface FrameFields {
  /**
   * Five numbers for each frame: the alias of its SSRC, its RTP timestamp, arrival and size in bytes, and 1 for
   * a key frame (else 0).
   */
  rows: (number | null)[];
  /** Two numbers for each frame: its spatial and its temporal layer index. Absent if no frame has an index. */
  layers?: (number | null)[];
}

const LAYERS_FROM = FRAME_COLUMNS.indexOf('spatialIndex');
const LAYERS = NUMBERS_PER_FRAME - LAYERS_FROM;

/**
 * The largest number of frames in a line. A page that was blocked for a minute reports all frames of that minute in one
 * message, and readers of traces refuse a line that is too long.
 */
const MOST_FRAMES = 2000;

/** Divides the numbers of a `frames` message among lines. */
export function rowsOfLines(message: readonly number[]): number[][] {
  const most = MOST_FRAMES * NUMBERS_PER_FRAME;
  const lines = Math.ceil(message.length / most);
  return Array.from({ length: lines }, (_, i) => message.slice(i * most, (i + 1) * most));
}

const isLayer = (i: number): boolean => i % NUMBERS_PER_FRAME >= LAYERS_FROM;

/** Converts the numbers of a `frames` message to fields. `alias` returns the alias of an SSRC. */
export function frameFields(message: readonly number[], alias: (ssrc: number) => number): FrameFields {
  const layers = message.filter((_, i) => isLayer(i));
  const rows = message
    .filter((_, i) => !isLayer(i))
    .map((value, i) => (i % LAYERS_FROM === 0 ? alias(value) : value));
  return layers.every((index) => index === NO_LAYER) ? { rows } : { rows, layers };
}

/** Converts fields back to the numbers of a `frames` message. `original` returns the SSRC of an alias. */
export function frameRows({ rows, layers = [] }: FrameFields, original: (alias: number) => number): number[] {
  const frames = Math.floor(rows.length / LAYERS_FROM);
  return Array.from({ length: frames }, (_, frame) => {
    const [ssrc, ...others] = rows.slice(frame * LAYERS_FROM, (frame + 1) * LAYERS_FROM);
    const indices = Array.from({ length: LAYERS }, (_, i) => layers[frame * LAYERS + i] ?? NO_LAYER);
    return [original(ssrc ?? NaN), ...others.map((value) => value ?? NaN), ...indices];
  }).flat();
}
