/** The target rates that a controller requested during a run, read from its rows in the trace. */
import type { CapacityStep } from '../core/link.js';
import type { Window } from './metrics.js';
import { percentiles } from './percentile.js';
import { sampled } from './sampled.js';

/** Target rates of one flow, in time order; each rate applies until the next one. */
export interface TargetRows {
  timeUs: readonly number[];
  targetBps: readonly number[];
}

/**
 * The target rates of a controller over the last two thirds of the run. For a controller that only watched the
 * call, these are the rates that it would have requested.
 */
export interface TargetReport {
  /** The average over time. */
  target_mean_bps: number | null;
  /** Percentiles of the target divided by the capacity at the same time. Each value is weighted by its duration. */
  target_of_capacity: { p5: number | null; p50: number | null; p95: number | null };
  /** The target at the end of the run. */
  target_final_bps: number | null;
}

const finite = (value: number | undefined): number | null =>
  value !== undefined && Number.isFinite(value) ? value : null;

/** `run` is the whole run. The times in `run` and `steps` are on the clock of the rows. */
export function targetReport(rows: TargetRows, steps: readonly CapacityStep[], run: Window): TargetReport {
  const lastTwoThirds = { fromUs: run.fromUs + (run.toUs - run.fromUs) / 3, toUs: run.toUs };
  const samples = sampled({ timeUs: rows.timeUs, values: rows.targetBps }, lastTwoThirds);
  const capacityAt = (us: number): number => steps.findLast(({ atUs }) => atUs <= us)?.capacityBps ?? NaN;
  const shares = samples
    .map(({ atUs, value }) => value / capacityAt(atUs))
    .filter((share) => Number.isFinite(share));
  const [p5, p50, p95] = percentiles(shares, [5, 50, 95]).map(finite);
  return {
    target_mean_bps: finite(samples.reduce((sum, { value }) => sum + value, 0) / samples.length),
    target_of_capacity: { p5: p5 ?? null, p50: p50 ?? null, p95: p95 ?? null },
    target_final_bps: finite(samples.at(-1)?.value),
  };
}
