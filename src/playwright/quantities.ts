/** Converts rates, times and ratios as they are written in tests. */
import { BPS, ConfigError, parseRatio, shown, US, withUnit } from '../text/quantities.js';

/** Bit/s, or text with a unit: `'1mbps'`, `'850kbps'`. */
export type Rate = number | string;
/** Milliseconds, as everywhere in Playwright, or text with a unit: `'15s'`, `'300ms'`. */
export type Time = number | string;
/** 0 to 1, or a percentage: `'2%'`. */
export type Ratio = number | string;

function positive(
  value: number | undefined,
  field: string,
  expected: string,
  got: unknown,
  fix: string,
): number {
  if (value === undefined || !Number.isFinite(value) || value <= 0)
    throw new ConfigError(field, expected, shown(got), fix);
  return value;
}

/** Converts to bit/s. @throws ConfigError */
export function rateBps(field: string, rate: Rate): number {
  const bps = typeof rate === 'number' ? rate : withUnit(rate, BPS);
  return positive(bps, field, 'a rate above 0, in bit/s or with a unit', rate, "write 1000000 or '1mbps'");
}

/** Converts to microseconds. @throws ConfigError */
export function timeUs(field: string, time: Time): number {
  const us = typeof time === 'number' ? time * 1e3 : withUnit(time, US);
  return positive(us, field, 'a time above 0, in milliseconds or with a unit', time, "write 15000 or '15s'");
}

/** Converts to a ratio from 0 to 1. @throws ConfigError */
export function ratioOf(field: string, ratio: Ratio): number {
  const fix = "write 0.02 or '2%'";
  if (typeof ratio === 'string') return parseRatio(ratio, { field, fix });
  if (ratio >= 0 && ratio <= 1) return ratio;
  throw new ConfigError(field, 'a ratio from 0 to 1 or a percentage', shown(ratio), fix);
}
