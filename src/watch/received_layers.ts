/**
 * Finds which layers of a received stream arrive (webrtc-svc). Browsers do not count layers, but each frame
 * carries its layer indices.
 */
import type { FrameColumns } from '../calls/record/record.js';

/**
 * A layer counts as received only if one of its frames arrived within the last two seconds. Even the slowest
 * layers have a few frames per second.
 */
const LOOKED_AT_US = 2e6;
/**
 * No scalability mode has a layer index this high. A page that reports such an index has made it up, so it is
 * ignored.
 */
const TOO_MANY = 9;

/** Converts the highest index to a number of layers. Returns NaN for an invalid index. */
const countOf = (index: number): number =>
  Number.isInteger(index) && index >= 0 && index < TOO_MANY ? index + 1 : NaN;

/**
 * Returns the layers as a scalability mode, such as `L3T2` for three spatial and two temporal layers. Returns
 * '' if the frames have no indices.
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
