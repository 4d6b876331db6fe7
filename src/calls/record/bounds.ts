/** Limits that are imposed on a sender: its encodings' `maxBitrate`, and the far side's `b=` line. */
import type { OutboundStats } from './record.js';

/** The limit of all layers of a media section together; NaN if there is none. */
export function boundBps(layers: readonly OutboundStats[]): number {
  // A single layer without a limit may send anything.
  const own = layers.reduce((sum, { maxBitrateBps }) => sum + maxBitrateBps, 0);
  // Recordings of earlier versions do not have it.
  const section = layers[0]?.sectionBoundBps ?? NaN;
  const known = [own, section].filter((bps) => bps > 0);
  return known.length === 0 ? NaN : Math.min(...known);
}
