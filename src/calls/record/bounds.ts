/** What bounds a sender from outside: its encodings' `maxBitrate`, and the far side's `b=` line. */
import type { OutboundStats } from './record.js';

/** The bound of all layers of a media section together; NaN while nothing bounds them. */
export function boundBps(layers: readonly OutboundStats[]): number {
  // One layer without a bound may send anything.
  const own = layers.reduce((sum, { maxBitrateBps }) => sum + maxBitrateBps, 0);
  // Recordings of earlier versions do not have it.
  const section = layers[0]?.sectionBoundBps ?? NaN;
  const known = [own, section].filter((bps) => bps > 0);
  return known.length === 0 ? NaN : Math.min(...known);
}
