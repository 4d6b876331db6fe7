/** The text form of a capacity: `1mbps`, `1.5mbps,0.6mbps@20s`. */
import type { CapacityStep } from '../core/link.js';
import { BPS, ConfigError, MAX_SETTING_LENGTH, parseDuration, shown, withUnit } from '../text/quantities.js';

const MAX_BPS = 1e11;
const SCHEDULE_FIX = 'write, for example, 1.5mbps,0.6mbps@20s,1.5mbps@40s';
const OUTAGE_FIX = 'write an outage as a later step: 1mbps,0@20s,1mbps@22s';
/** Enough for a trace of ten minutes that has a step in each millisecond. */
const MAX_STEPS = 1_000_000;

/**
 * Parses a rate: `1mbps`, `500kbps`, or a number in bit/s. A rate of 0 is an outage, which is accepted only if
 * `outage` is set. Throws ConfigError.
 */
export function parseRate(
  value: string | number,
  { field = 'capacity', outage = false, fix = 'write, for example, 1mbps or 500kbps' } = {},
): number {
  const isNumber =
    typeof value === 'number' || (value.length <= MAX_SETTING_LENGTH && /^\s*\d+(\.\d+)?\s*$/.test(value));
  const bps = isNumber ? Number(value) : withUnit(value, BPS);
  if (bps !== undefined && ((bps >= 1 && bps <= MAX_BPS) || (outage && bps === 0))) return bps;
  const expected = `a rate from 1 bps to 100 gbps${outage ? ', or 0 for an outage' : ''}`;
  throw new ConfigError(field, expected, shown(value), fix);
}

/**
 * Parses a constant capacity, or a schedule: `1.5mbps,0.6mbps@20s,1.5mbps@40s`. The first step is at time 0, and the
 * others are in time order. A rate of 0 is an outage. It is always accepted in later steps, but in the first step
 * only if `outage` is set. Throws ConfigError.
 */
export function parseSchedule(
  value: string | number,
  { field = 'capacity', outage = false } = {},
): CapacityStep[] {
  const steps: CapacityStep[] = [];
  const parts = String(value).split(',', MAX_STEPS + 1);
  if (parts.length > MAX_STEPS)
    throw new ConfigError(field, `at most ${MAX_STEPS} steps`, 'more', 'leave some out');
  const fix = parts.length > 1 ? { fix: SCHEDULE_FIX } : {};
  for (const part of parts) {
    const [rate = '', at, ...more] = part.split('@', 3);
    const atUs = at === undefined ? 0 : parseDuration(at, { field, ...fix });
    const last = steps.at(-1);
    const inOrder = last === undefined ? atUs === 0 : at !== undefined && atUs > last.atUs;
    if (!inOrder || more.length > 0) {
      throw new ConfigError(field, 'a rate, then RATE@TIME in time order', shown(value), SCHEDULE_FIX);
    }
    const isOutage = outage || last !== undefined;
    const begin = /^\s*0\s*[a-z]*\s*$/i.test(rate) && !isOutage ? { fix: OUTAGE_FIX } : fix;
    steps.push({ atUs, capacityBps: parseRate(rate, { field, outage: isOutage, ...begin }) });
  }
  return steps;
}

const rateText = (bps: number): string =>
  bps >= 1e6 ? `${Number((bps / 1e6).toPrecision(12))}mbps` : `${Number((bps / 1e3).toPrecision(12))}kbps`;

/** Writes a schedule as text, which `parseSchedule` can read. */
export const scheduleText = (steps: readonly CapacityStep[]): string =>
  steps
    .map(({ atUs, capacityBps }, index) =>
      index === 0
        ? rateText(capacityBps)
        : `${rateText(capacityBps)}@${Number((atUs / 1e6).toPrecision(12))}s`,
    )
    .join(',');

/**
 * The largest rate of the first step to which `scaledSchedule` can scale a schedule. The rates of the later steps then
 * stay within the limit of a rate.
 */
export function mostFirstBps(schedule: string | number): number {
  const rates = parseSchedule(schedule, { outage: true }).map(({ capacityBps }) => capacityBps);
  const [first = 0] = rates;
  return first > 0 ? MAX_BPS / (Math.max(...rates) / first) : MAX_BPS;
}

/**
 * Scales a schedule: the first step gets the rate `firstBps`, and all other rates change by the same factor. A rate
 * stays at 1 bps or more, since a rate of 0 would be an outage.
 */
export function scaledSchedule(schedule: string | number, firstBps: number): string {
  const steps = parseSchedule(schedule, { outage: true });
  const before = steps[0]?.capacityBps ?? 0;
  const factor = before > 0 ? firstBps / before : 1;
  return scheduleText(
    steps.map(({ atUs, capacityBps }, index) => ({
      atUs,
      capacityBps: index === 0 ? firstBps : capacityBps && Math.max(1, Math.round(capacityBps * factor)),
    })),
  );
}
