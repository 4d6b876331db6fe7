/** The steps of a capacity schedule that the user draws by hand. */
import type { CapacityStep } from '../../core/link.js';

/** The shortest time between two steps. */
const GAP_US = 100e3;
/** The lowest capacity of a step that is not an outage (a capacity of 0). The first step cannot be an outage. */
export const LEAST_BPS = 50e3;

/**
 * Moves a step. The first step stays at time 0 and keeps a capacity of at least LEAST_BPS. The other steps stay
 * between their neighbours.
 */
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

/** Adds a step, in time order. Returns `steps` unchanged if the new step is closer than GAP_US to another one. */
export function added(steps: readonly CapacityStep[], step: CapacityStep): readonly CapacityStep[] {
  if (steps.some(({ atUs }) => Math.abs(atUs - step.atUs) < GAP_US)) return steps;
  return [...steps, step].sort((a, b) => a.atUs - b.atUs);
}

/**
 * A capacity times a factor, rounded to three significant digits. A result below LEAST_BPS becomes an outage (0). An
 * outage that is raised becomes LEAST_BPS.
 */
export function scaledBps(capacityBps: number, factor: number): number {
  if (capacityBps === 0) return factor > 1 ? LEAST_BPS : 0;
  const bps = Number((capacityBps * factor).toPrecision(3));
  return bps < LEAST_BPS ? 0 : bps;
}
