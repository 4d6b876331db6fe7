/** The text form of outages, reordering and cross traffic: `100ms/20ms`, `0.01/20ms`, `cubic:2,newreno:1`. */
import type { CrossTraffic, OutageOptions, ReorderingOptions } from '../core/link.js';
import { checkLength, ConfigError, parseDuration, parseRatio, shown } from '../text/quantities.js';

const NONE = 'none';
const [MIN_PERIOD_US, MAX_PERIOD_US] = [1e3, 60e6];
export const [MIN_PERIOD_MS, MAX_PERIOD_MS] = [MIN_PERIOD_US / 1e3, MAX_PERIOD_US / 1e3];
const MAX_PHASES = 100;
/** The maximum number of connections with the same congestion control. */
export const MAX_FLOWS = 64;
const KINDS: ReadonlyMap<string, keyof CrossTraffic> = new Map([
  ['cubic', 'cubic'],
  ['newreno', 'newReno'],
]);

/**
 * Parses outages of the channel: `ON/OFF`, the mean times with and without a connection, such as `100ms/20ms`. With
 * `xPHASES` at the end, the length of an outage is the sum of PHASES exponentially distributed times. Returns null
 * for `none`. Throws ConfigError.
 */
export function parseOutage(text: string, { field = 'outage' } = {}): OutageOptions | null {
  checkLength(text, field, 'write, for example, 100ms/20ms');
  if (text.trim() === NONE) return null;
  const [, on = '', off = '', phases] = /^([^/]+)\/([^/x]+)(?:x(\d+))?$/.exec(text.trim()) ?? [];
  const expected = `${NONE}, or ON/OFF (the mean times with and without a connection)`;
  const fix = 'write, for example, 100ms/20ms';
  if (off === '') throw new ConfigError(field, expected, shown(text), fix);
  const [meanOnUs = 0, meanOffUs = 0] = [on, off].map((part) => parseDuration(part, { field }));
  if ([meanOnUs, meanOffUs].some((us) => us < MIN_PERIOD_US || us > MAX_PERIOD_US))
    throw new ConfigError(field, 'mean times from 1ms to 1min', shown(text), fix);
  if (phases === undefined) return { meanOnUs, meanOffUs };
  const offPhases = Number(phases);
  if (offPhases < 1 || offPhases > MAX_PHASES)
    throw new ConfigError(
      field,
      `1 to ${MAX_PHASES} phases`,
      shown(text),
      'write, for example, 100ms/20msx3',
    );
  return { meanOnUs, meanOffUs, offPhases };
}

/**
 * Parses reordering: `RATIO/TIME`, such as `0.01/20ms`. RATIO is the fraction of packets that are held back behind
 * the bottleneck, as a number or a percentage. TIME is how long they are held back. Returns null for `none`. Throws
 * ConfigError.
 */
export function parseReorder(text: string, { field = 'reorder' } = {}): ReorderingOptions | null {
  const fix = 'write, for example, 0.01/20ms';
  checkLength(text, field, fix);
  if (text.trim() === NONE) return null;
  const [ratioText = '', time = '', ...more] = text.split('/');
  if (time === '' || more.length > 0)
    throw new ConfigError(
      field,
      `${NONE}, or RATIO/TIME (the share of packets held back, and for how long)`,
      shown(text),
      fix,
    );
  const ratio = parseRatio(ratioText, { field, fix });
  const delayUs = parseDuration(time, { field });
  if (delayUs > MAX_PERIOD_US)
    throw new ConfigError(field, 'a time of at most 1min after the slash', shown(text), fix);
  return { ratio, delayUs };
}

/**
 * Parses TCP connections that share the link with the real packets: `cubic:3`, `cubic:2,newreno:1`. `cubic` alone
 * means one connection, and `none` means 0 connections of both kinds. Throws ConfigError.
 */
export function parseCrossTraffic(text: string, { field = 'cross_traffic' } = {}): Required<CrossTraffic> {
  checkLength(text, field, 'write, for example, cubic:3');
  const flows = { cubic: 0, newReno: 0 };
  if (text.trim() === NONE) return flows;
  const seen = new Set<string>();
  for (const part of text.split(',')) {
    const [, name = '', digits = '1'] = /^\s*([a-z_]+)\s*(?::\s*(\d+)\s*)?$/i.exec(part) ?? [];
    const kind = KINDS.get(name.toLowerCase());
    if (kind === undefined || seen.has(kind) || Number(digits) > MAX_FLOWS) {
      throw new ConfigError(
        field,
        `${NONE}, or up to ${MAX_FLOWS} connections of each kind (${[...KINDS.keys()].join(', ')})`,
        shown(text),
        'write, for example, cubic:3 or cubic:2,newreno:1',
      );
    }
    seen.add(kind);
    flows[kind] = Number(digits);
  }
  return flows;
}
