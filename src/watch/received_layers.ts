/**
 * Which layers of a received stream arrive (webrtc-svc): browsers do not count them, but each frame states its
 * own.
 */
import type { FrameColumns } from '../calls/record/record.js';

/**
 * A layer from which nothing came for this long is no longer received; even the slowest have a few frames per second.
 */
const LOOKED_AT_US = 2e6;
/** No scalability mode has more; what a page makes up is not reported. */
const TOO_MANY = 9;

/** The number of layers if this is the highest index; NaN for an invalid index. */
const countOf = (index: number): number =>
  Number.isInteger(index) && index >= 0 && index < TOO_MANY ? index + 1 : NaN;

/**
 * As a scalability mode, `L3T2` for three spatial and two temporal layers; '' if the frames do not state them.
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
