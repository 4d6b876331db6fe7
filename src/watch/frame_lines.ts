/**
 * Received frames as fields of a trace's line. The layers of the frames have their own field, since most
 * browsers and codecs do not report any.
 */
import { FRAME_COLUMNS } from '../calls/record/columns.js';
import { NO_LAYER, NUMBERS_PER_FRAME } from '../inject/protocol.js';

export interface FrameFields {
  /** Five numbers for each frame: SSRC, RTP timestamp, arrival, size, 1 for a key frame. */
  rows: (number | null)[];
  /** Two numbers for each frame: its spatial and its temporal index; absent if no frame has any. */
  layers?: (number | null)[];
}

const LAYERS_FROM = FRAME_COLUMNS.indexOf('spatialIndex');
const LAYERS = NUMBERS_PER_FRAME - LAYERS_FROM;

const isLayer = (i: number): boolean => i % NUMBERS_PER_FRAME >= LAYERS_FROM;

/** The fields for a message's rows; `alias` converts an SSRC to its alias. */
export function frameFields(message: readonly number[], alias: (ssrc: number) => number): FrameFields {
  const layers = message.filter((_, i) => isLayer(i));
  const rows = message
    .filter((_, i) => !isLayer(i))
    .map((value, i) => (i % LAYERS_FROM === 0 ? alias(value) : value));
  return layers.every((index) => index === NO_LAYER) ? { rows } : { rows, layers };
}

/** Restores the rows of a message; `original` converts an SSRC's alias back. */
export function frameRows({ rows, layers = [] }: FrameFields, original: (alias: number) => number): number[] {
  const frames = Math.floor(rows.length / LAYERS_FROM);
  return Array.from({ length: frames }, (_, frame) => {
    const [ssrc, ...others] = rows.slice(frame * LAYERS_FROM, (frame + 1) * LAYERS_FROM);
    const indices = Array.from({ length: LAYERS }, (_, i) => layers[frame * LAYERS + i] ?? NO_LAYER);
    return [original(ssrc ?? NaN), ...others.map((value) => value ?? NaN), ...indices];
  }).flat();
}
