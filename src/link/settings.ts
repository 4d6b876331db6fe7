/**
 * The link settings of a test, as a user writes them: `{ network: '4g', capacity: '500kbps', loss: '2%' }`. The
 * prefix k means 1000. Rates without a unit are in bit/s, times without a unit in milliseconds.
 */
import * as v from 'valibot';

import { parsedBy } from '../text/form.js';
import { ConfigError, shown } from '../text/quantities.js';
import { suggestedFix } from '../text/suggest.js';
import { parseSchedule } from './capacity_text.js';
import { LINK_FIELDS, LINK_KEYS, linkField, readLinkValue, type LinkKey } from './fields.js';
import { DEFAULT_LINK_CONFIG, type LinkConfig } from './link_config.js';
import { NETWORK_NAMES, type NetworkName } from './networks.js';
import type { DirectionSettings } from './direction_settings.js';

export type { Capacity, DirectionSettings } from './direction_settings.js';

/**
 * The settings apply to both directions. `backward` overrides them for its direction. `crossTraffic` is an
 * exception: outside `backward` it applies only to the forward direction.
 */
export interface LinkSettings extends DirectionSettings {
  /** A common network; other fields override its values. */
  network?: NetworkName | undefined;
  /** Round-trip propagation delay, half of it each way; a number is milliseconds. Default 50 ms. */
  rtt?: number | string | undefined;
  /** Seeds all randomness of the link. Default 1. Has an effect only when the link is opened. */
  seed?: number | undefined;
  /** The direction from the side that answered to the side that offered. */
  backward?: DirectionSettings | undefined;
}

const numberOrText = (expected: string) => v.union([v.number(), v.string()], expected);

const capacity = v.union(
  [
    parsedBy(numberOrText('a rate'), (value) => parseSchedule(value, { outage: true })),
    v.strictObject({ mahimahi: v.string('the text of a trace or the path of its file') }),
    v.custom<(seconds: number) => number>((value) => typeof value === 'function'),
  ],
  (issue) =>
    issue.issues?.find(({ type }) => type === 'raw_check')?.message ??
    'a rate such as 1mbps, a schedule, { mahimahi } or a function of seconds',
);

/** The schema of a setting's value in a test. */
function settingSchema(key: LinkKey): v.GenericSchema {
  const field = linkField(key);
  if (key === 'capacity') return capacity;
  const expected =
    field.kind === 'text' ? field.expected : `a number${field.unit === ' ms' ? ' or a time' : ''}`;
  const schema: v.GenericSchema<string | number> =
    field.kind === 'text' ? v.string(expected) : numberOrText(expected);
  return parsedBy(schema, (value) => readLinkValue(key, value));
}

const schemasOf = (scope: 'way' | 'path'): v.ObjectEntries =>
  Object.fromEntries(
    LINK_KEYS.filter((key) => LINK_FIELDS[key].scope === scope).map((key) => [
      LINK_FIELDS[key].setting,
      v.optional(settingSchema(key)),
    ]),
  );

const waySchemas = schemasOf('way');

const settingsSchema = v.strictObject({
  ...waySchemas,
  network: v.optional(v.picklist(NETWORK_NAMES, NETWORK_NAMES.join(', '))),
  ...schemasOf('path'),
  backward: v.optional(v.strictObject(waySchemas)),
});

/** Checks settings from an untrusted source. Throws ConfigError with the path of the first wrong setting. */
export function parseLinkSettings(input: unknown, path = 'link'): LinkSettings {
  const result = v.safeParse(settingsSchema, input, { abortEarly: true });
  if (result.success) return result.output;
  const issue = result.issues[0];
  const key = v.getDotPath(issue);
  const isUnknown = issue.type === 'strict_object' && key !== null;
  const names = Object.keys(key?.startsWith('backward.') ? waySchemas : settingsSchema.entries);
  throw new ConfigError(
    key === null ? path : `${path}.${key}`,
    isUnknown ? `one of ${names.join(', ')}` : issue.message,
    shown(issue.input),
    isUnknown
      ? suggestedFix(key.slice(key.lastIndexOf('.') + 1), names, `remove ${key}`)
      : 'correct this value',
  );
}

/** Adds the defaults of a new link. If the settings name a `network`, only the seed has a default. */
export function withDefaults(settings: LinkSettings): LinkSettings {
  const { capacity, queue, rtt_ms, seed } = DEFAULT_LINK_CONFIG;
  return {
    ...(settings.network === undefined && { capacity, queue, rtt: rtt_ms }),
    seed,
    ...given(settings),
  };
}

/**
 * Converts a link in its JSON form to a test's settings. Default values are omitted, except those of capacity,
 * queue, RTT and seed.
 */
export function settingsOfConfig(config: LinkConfig): LinkSettings {
  const said: readonly LinkKey[] = ['capacity', 'queue', 'rtt_ms', 'seed'];
  const differs = LINK_KEYS.filter((key) => said.includes(key) || config[key] !== DEFAULT_LINK_CONFIG[key]);
  return Object.fromEntries(differs.map((key) => [LINK_FIELDS[key].setting, config[key]]));
}

/** A copy of the settings without the fields that are undefined. */
export function given<T extends object>(settings: T): T {
  return Object.fromEntries(Object.entries(settings).filter(([, value]) => value !== undefined)) as T;
}
