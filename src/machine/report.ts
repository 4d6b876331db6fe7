/** The machine's load during one call: as numbers for reports, and as a sentence. */
import type { Quantity } from './definition.js';
import { distortion, FIX, worstText } from './text.js';
import { isOverloaded, type MachineState } from './watch.js';

/**
 * If `overloaded`, the call's numbers reflect the machine rather than the network. Each quantity is given as its
 * worst median over WINDOW_SECONDS; null if it was never measured for that long.
 */
export interface MachineReport {
  overloaded: boolean;
  /** The share of the time in which the machine was overloaded. */
  share: number;
  /** The quantities for which the machine counted as overloaded at any time; empty if not `overloaded`. */
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

/**
 * Describes the load, for example: `overloaded for 64 % of the run: at worst, over 5 s, packets leave the shaper
 * 12.3 ms late (p95)`.
 */
export function loadText(report: MachineReport): string {
  const { share, reasons: everBy, shaper_late_p95_ms, callbacks_late_ms, source_frames_ratio } = report;
  const worst = { shaper: shaper_late_p95_ms, callbacks: callbacks_late_ms, source: source_frames_ratio };
  return `overloaded for ${(100 * share).toFixed(0)} % of the run: ${worstText({ everBy, worst })}`;
}

/** What the overload means for the call's numbers, and what to do. */
export const consequence = ({ reasons }: MachineReport): string => `${distortion(reasons)}. To do: ${FIX}.`;
