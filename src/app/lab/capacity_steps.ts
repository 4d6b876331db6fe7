/** The steps of a capacity that is drawn by hand. */
import type { CapacityStep } from '../../core/link.js';

/** Nearest that two steps come to each other. */
const GAP_US = 100e3;
/** The least that a drag leaves of the capacity: an outage is 0. */
export const LEAST_BPS = 50e3;

/** A step elsewhere: the first stays at 0 and carries something, the others stay between their neighbours. */
export function moved(
  steps: readonly CapacityStep[],
  index: number,
  { atUs, capacityBps }: CapacityStep,
): readonly CapacityStep[] {
  const from = (steps[index - 1]?.atUs ?? 0) + GAP_US;
  const to = (steps[index + 1]?.atUs ?? Infinity) - GAP_US;
  const at = index === 0 ? 0 : Math.min(to, Math.max(from, atUs));
  const bps = index === 0 ? Math.max(LEAST_BPS, capacityBps) : Math.max(0, capacityBps);
  return steps.map((step, i) => (i === index ? { atUs: at, capacityBps: bps } : step));
}

/** One more step, in time order; the same steps where there is one at that time. */
export function added(steps: readonly CapacityStep[], step: CapacityStep): readonly CapacityStep[] {
  if (steps.some(({ atUs }) => Math.abs(atUs - step.atUs) < GAP_US)) return steps;
  return [...steps, step].sort((a, b) => a.atUs - b.atUs);
}
