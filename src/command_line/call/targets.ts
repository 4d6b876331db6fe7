/** What a controller asked for over a run, from its rows in the page's trace. */
import type { CapacityStep } from '../../core/link.js';
import type { Window } from '../../calls/metrics.js';
import { percentiles } from '../../calls/percentile.js';
import type { TargetReport } from './types.js';

/** Targets of one flow, in the order of time; each holds until the next. */
export interface TargetRows {
  timeUs: readonly number[];
  targetBps: readonly number[];
}

/**
 * Rows come every 100 ms and with each feedback message: in averages over time each counts for as long as it
 * held.
 */
const SAMPLE_US = 100_000;

const finite = (value: number | undefined): number | null =>
  value !== undefined && Number.isFinite(value) ? value : null;

/** The value at each tick of a window; NaN before the first row. */
function sampled(
  { timeUs, targetBps }: TargetRows,
  { fromUs, toUs }: Window,
): { atUs: number; bps: number }[] {
  const samples: { atUs: number; bps: number }[] = [];
  let row = -1;
  for (let atUs = fromUs; atUs <= toUs; atUs += SAMPLE_US) {
    while ((timeUs[row + 1] ?? Infinity) <= atUs) row += 1;
    samples.push({ atUs, bps: targetBps[row] ?? NaN });
  }
  return samples.filter(({ bps }) => !Number.isNaN(bps));
}

/** `steps` and `run`, which is the whole run, use the times of the rows. */
export function targetReport(rows: TargetRows, steps: readonly CapacityStep[], run: Window): TargetReport {
  const lastTwoThirds = { fromUs: run.fromUs + (run.toUs - run.fromUs) / 3, toUs: run.toUs };
  const samples = sampled(rows, lastTwoThirds);
  const capacityAt = (us: number): number => steps.findLast(({ atUs }) => atUs <= us)?.capacityBps ?? NaN;
  const shares = samples
    .map(({ atUs, bps }) => bps / capacityAt(atUs))
    .filter((share) => Number.isFinite(share));
  const [p5, p50, p95] = percentiles(shares, [5, 50, 95]).map(finite);
  return {
    target_mean_bps: finite(samples.reduce((sum, { bps }) => sum + bps, 0) / samples.length),
    target_of_capacity: { p5: p5 ?? null, p50: p50 ?? null, p95: p95 ?? null },
    target_final_bps: finite(samples.at(-1)?.bps),
  };
}
