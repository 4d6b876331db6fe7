/**
 * The JSON form of a link with both directions: `{ capacity: '1.5mbps,0.6mbps@20s', rtt_ms: 80 }`. Prefixes are
 * decimal: 1 kbps is 1000 bit/s, 1 kB is 1000 bytes.
 */
import * as v from 'valibot';

import type { LinkOptions } from '../core/link.js';
import { ConfigError, cut, shown } from '../text/quantities.js';
import { LINK_FIELDS, LINK_KEYS, linkField, linkSchema, type LinkKey, type LinkValue } from './fields.js';

/** The origin of the times in this link's rows, in milliseconds since 1970. */
const origin = v.optional(v.pipe(v.number('milliseconds since 1970'), v.finite('milliseconds since 1970')));

/**
 * A link with both directions. Each direction has half the RTT. Capacity, queue, loss, jitter, reordering, outages,
 * cross traffic and the kind of bottleneck apply only to the forward direction. A capacity that is a number is in
 * bit/s.
 */
export type LinkConfig = { [K in LinkKey]: K extends 'capacity' ? string | number : LinkValue<K> } & {
  origin_epoch_ms?: number;
};
export type PartialLinkConfig = Partial<LinkConfig>;
/** Like PartialLinkConfig, but a field may also be undefined. */
type Given = { readonly [K in keyof LinkConfig]?: LinkConfig[K] | undefined };

type Schemas = { [K in LinkKey]: v.OptionalSchema<v.GenericSchema<LinkConfig[K]>, undefined> };

/** The settings of a link, all of which are optional. */
export const linkEntries = Object.fromEntries(
  LINK_KEYS.map((key) => [key, v.optional(linkSchema(key))]),
) as unknown as Schemas;

const partialLinkConfig = v.strictObject({ ...linkEntries, origin_epoch_ms: origin });

export const DEFAULT_LINK_CONFIG = Object.fromEntries(
  LINK_KEYS.map((key) => [key, LINK_FIELDS[key].usual]),
) as LinkConfig;

/** Checks settings from an untrusted source. Throws ConfigError with the path of the first wrong setting. */
export function parseLinkConfig(input: unknown, path = 'link'): PartialLinkConfig {
  const result = v.safeParse(partialLinkConfig, input);
  if (result.success) {
    const given = Object.entries(result.output).filter(([, value]) => value !== undefined);
    return Object.fromEntries(given);
  }
  const issue = result.issues[0];
  const key = v.getDotPath(issue);
  const unknownKey = issue.type === 'strict_object' && key !== null;
  throw new ConfigError(
    key === null ? path : `${path}.${key}`,
    unknownKey ? `one of ${Object.keys(partialLinkConfig.entries).join(', ')}` : issue.message,
    shown(issue.input),
    unknownKey ? `remove ${cut(key)}` : 'correct this value',
  );
}

/** Returns the forward direction as options of the core. The times of a schedule are relative to the link's start. */
export function forwardLink(config: LinkConfig): LinkOptions {
  return { ...(forwardChange(config) as LinkOptions), seed: config.seed };
}

/** Converts the given settings to options of the core for the forward direction. Adds no defaults. */
export function forwardChange(config: Given): Partial<LinkOptions> {
  const parts = LINK_KEYS.map((key): Partial<LinkOptions> => {
    const value = config[key];
    // The cast is safe: the value belongs to the field's own key.
    return value === undefined ? {} : linkField(key).core(value as never);
  });
  return Object.assign({}, ...parts) as Partial<LinkOptions>;
}
