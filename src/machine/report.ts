/** The machine's load during one call, for reports and in words. */
import type { Quantity } from './definition.js';
import { distortion, FIX, worstText } from './text.js';
import { isOverloaded, type MachineState } from './watch.js';

/**
 * If `overloaded`, the call's numbers reflect the machine. Each number is from the worst window; null if nothing
 * was measured.
 */
export interface MachineReport {
  overloaded: boolean;
  /** The share of the time in which it was overloaded. */
  share: number;
  /** By which quantities. */
  reasons: readonly Quantity[];
  shaper_late_p95_ms: number | null;
  callbacks_late_ms: number | null;
  /** The share of the requested frames that the source delivered; null for pages that are not ccscope's. */
  source_frames_ratio: number | null;
}

export function machineReport(state: MachineState): MachineReport {
  const overloaded = isOverloaded(state);
  const { shaper, callbacks, source } = state.worst;
  return {
    overloaded,
    share: state.share,
    reasons: overloaded ? state.everBy : [],
    shaper_late_p95_ms: shaper,
    callbacks_late_ms: callbacks,
    source_frames_ratio: source,
  };
}

/** `overloaded for 64 % of the run: packets leave the shaper 12.3 ms late (p95)` */
export function loadText(report: MachineReport): string {
  const { share, reasons: everBy, shaper_late_p95_ms, callbacks_late_ms, source_frames_ratio } = report;
  const worst = { shaper: shaper_late_p95_ms, callbacks: callbacks_late_ms, source: source_frames_ratio };
  return `overloaded for ${(100 * share).toFixed(0)} % of the run: ${worstText({ everBy, worst })}`;
}

/** What this means for the numbers, and what to do. */
export const consequence = ({ reasons }: MachineReport): string => `${distortion(reasons)}. To do: ${FIX}.`;
