/** The steps of a capacity that is drawn by hand. */
import type { CapacityStep } from '../../core/link.js';

/** Two steps cannot come closer to each other than this. */
const GAP_US = 100e3;
/** A drag cannot take the capacity below this: a capacity of 0 would be an outage. */
export const LEAST_BPS = 50e3;

/** Moves a step: the first one stays at 0 and keeps some capacity, the others stay between their neighbours. */
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

/** Adds a step, in time order; returns the same steps if one exists at that time already. */
export function added(steps: readonly CapacityStep[], step: CapacityStep): readonly CapacityStep[] {
  if (steps.some(({ atUs }) => Math.abs(atUs - step.atUs) < GAP_US)) return steps;
  return [...steps, step].sort((a, b) => a.atUs - b.atUs);
}
