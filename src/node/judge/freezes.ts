/**
 * Freezes of the picture: pauses that the receiving page saw, and the one that may still go on. A
 * pause counts from the length on that webrtc-stats gives for freezeCount: at least the larger of
 * three mean frame intervals and the mean frame interval plus 150 ms, the mean over 30 frames.
 */
import type { Window } from '../metrics.js';
import type { EndpointRecord, Freeze } from '../observe/record.js';

const MEAN_OVER_FRAMES = 30;
const LONGER_THAN_MEAN_US = 150_000;
/** Fewer frames give no mean interval to compare with. */
const LEAST_FRAMES = 5;

/** The pause since an endpoint's last frame, if it is a freeze at `nowUs`; null otherwise. */
export function ongoingFreeze({ frames, frameSource, states }: EndpointRecord, nowUs: number): Freeze | null {
  if (frameSource !== 'transform' || frames.rows < LEAST_FRAMES) return null;
  if (states.at(-1)?.state === 'closed') return null;
  const intervals = Math.min(MEAN_OVER_FRAMES, frames.rows - 1);
  const lastUs = frames.arrivalUs[frames.rows - 1] ?? NaN;
  const firstUs = frames.arrivalUs[frames.rows - 1 - intervals] ?? NaN;
  const meanUs = (lastUs - firstUs) / intervals;
  const isFreeze = nowUs - lastUs >= Math.max(3 * meanUs, meanUs + LONGER_THAN_MEAN_US);
  return isFreeze ? { fromUs: lastUs, toUs: nowUs } : null;
}

/** The freezes of some endpoints, each as far as it lies in a window. */
export function freezesIn(receivers: readonly EndpointRecord[], { fromUs, toUs }: Window): Freeze[] {
  return receivers.flatMap((endpoint): Freeze[] => {
    // What came later than the last look at the page is not known yet.
    const knownUs = Math.min(toUs, endpoint.samples.at(-1)?.timeUs ?? -Infinity);
    const ongoing = ongoingFreeze(endpoint, knownUs);
    const told = ongoing !== null && endpoint.freezes.some((freeze) => freeze.toUs > ongoing.fromUs);
    const all = ongoing && !told ? [...endpoint.freezes, ongoing] : endpoint.freezes;
    return all
      .filter((freeze) => freeze.toUs > fromUs && freeze.fromUs < toUs)
      .map((freeze) => ({ fromUs: Math.max(fromUs, freeze.fromUs), toUs: Math.min(toUs, freeze.toUs) }));
  });
}
