/** Capacities as people write them: `1mbps`, `1.5mbps,0.6mbps@20s`. */
import type { CapacityStep } from '../core/link.js';
import { BPS, ConfigError, MAX_SETTING_LENGTH, parseDuration, shown, withUnit } from '../text/quantities.js';

const MAX_BPS = 1e11;
const OUTAGE_FIX = 'write an outage as a later step: 1mbps,0@20s,1mbps@22s';
/** As many as a trace of ten minutes can have. */
const MAX_STEPS = 1_000_000;

/**
 * A rate in bit/s: `1mbps`, `500kbps`, or a number, which is bit/s already. 0 is an outage, where
 * `outage` allows it. Throws ConfigError.
 */
export function parseRate(
  value: string | number,
  { field = 'capacity', outage = false, fix = 'write for instance 1mbps or 500kbps' } = {},
): number {
  const isNumber =
    typeof value === 'number' || (value.length <= MAX_SETTING_LENGTH && /^\s*\d+(\.\d+)?\s*$/.test(value));
  const bps = isNumber ? Number(value) : withUnit(value, BPS);
  if (bps !== undefined && ((bps >= 1 && bps <= MAX_BPS) || (outage && bps === 0))) return bps;
  const expected = `a rate from 1 bps to 100 gbps${outage ? ', or 0 for an outage' : ''}`;
  throw new ConfigError(field, expected, shown(value), fix);
}

/**
 * A capacity, or one that changes: `1.5mbps,0.6mbps@20s,1.5mbps@40s`. The first step is at 0, the
 * others are in time order; a step of 0 is an outage, the first one only where `outage` allows it.
 * Throws ConfigError.
 */
export function parseSchedule(
  value: string | number,
  { field = 'capacity', outage = false } = {},
): CapacityStep[] {
  const steps: CapacityStep[] = [];
  const parts = String(value).split(',', MAX_STEPS + 1);
  if (parts.length > MAX_STEPS)
    throw new ConfigError(field, `at most ${MAX_STEPS} steps`, 'more', 'leave some out');
  for (const part of parts) {
    const [rate = '', at, ...more] = part.split('@', 3);
    const atUs = at === undefined ? 0 : parseDuration(at, { field });
    const last = steps.at(-1);
    const inOrder = last === undefined ? atUs === 0 : at !== undefined && atUs > last.atUs;
    if (!inOrder || more.length > 0) {
      throw new ConfigError(
        field,
        'a rate, then RATE@TIME in time order',
        shown(value),
        'write for instance 1.5mbps,0.6mbps@20s,1.5mbps@40s',
      );
    }
    const isOutage = outage || last !== undefined;
    const begin = /^\s*0\s*[a-z]*\s*$/i.test(rate) && !isOutage ? { fix: OUTAGE_FIX } : {};
    steps.push({ atUs, capacityBps: parseRate(rate, { field, outage: isOutage, ...begin }) });
  }
  return steps;
}
