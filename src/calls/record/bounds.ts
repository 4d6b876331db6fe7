/** Limits that are imposed on a sender: its encodings' `maxBitrate`, and the far side's `b=` line. */
import type { OutboundStats } from './record.js';

/** The limit for the sum of a media section's layers; NaN if there is no limit. */
export function boundBps(layers: readonly OutboundStats[]): number {
  // The sum is NaN if one of the layers has no limit, since that layer may send at any rate.
  const own = layers.reduce((sum, { maxBitrateBps }) => sum + maxBitrateBps, 0);
  // Recordings of earlier versions do not have this field.
  const section = layers[0]?.sectionBoundBps ?? NaN;
  const known = [own, section].filter((bps) => bps > 0);
  return known.length === 0 ? NaN : Math.min(...known);
}
