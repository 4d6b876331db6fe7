/**
 * Determines which layers of a received stream arrive (webrtc-svc): browsers do not count them, but each
 * frame carries the indices of its layers.
 */
import type { FrameColumns } from '../calls/record/record.js';

/**
 * A layer from which no frame came for this long counts as no longer received; even the slowest layers have a
 * few frames per second.
 */
const LOOKED_AT_US = 2e6;
/**
 * No scalability mode has a layer with this index or a higher one; such an index is made up by the page, and
 * is ignored.
 */
const TOO_MANY = 9;

/** The number of layers if this is the highest index; NaN for an invalid index. */
const countOf = (index: number): number =>
  Number.isInteger(index) && index >= 0 && index < TOO_MANY ? index + 1 : NaN;

/**
 * The layers as a scalability mode, `L3T2` for three spatial and two temporal layers; '' if the frames have
 * no indices.
 */
export function receivedLayers(frames: FrameColumns, ssrc: number, untilUs: number): string {
  let [spatial, temporal] = [0, 0];
  for (let row = frames.rows - 1; row >= 0; row--) {
    if ((frames.arrivalUs[row] ?? NaN) < untilUs - LOOKED_AT_US) break;
    if (frames.ssrc[row] !== ssrc) continue;
    spatial = Math.max(spatial, countOf(frames.spatialIndex[row] ?? NaN) || 0);
    temporal = Math.max(temporal, countOf(frames.temporalIndex[row] ?? NaN) || 0);
  }
  return spatial + temporal === 0 ? '' : `L${Math.max(1, spatial)}T${Math.max(1, temporal)}`;
}
