/**
 * The link of a test as people write it: `{ network: '4g', capacity: '500kbps', loss: '2%' }`. kilo is
 * 1000, numbers without a unit are bit/s and milliseconds.
 */
import * as v from 'valibot';

import type { LinkOptions } from '../../core/link.js';
import {
  ConfigError,
  DEFAULT_LINK_CONFIG,
  forwardChange,
  parseDuration,
  parseCrossTraffic,
  parsedBy,
  parseOutage,
  parseQueue,
  parseSchedule,
  shown,
  within,
  type PartialLinkConfig,
} from '../../scenario/link_config.js';
import { capacitySource, type Capacity, type CapacitySource } from './capacity.js';
import { NETWORK_NAMES, NETWORKS, type NetworkName } from './networks.js';
import { DIRECTIONS, type Direction } from './path.js';

export type { Capacity } from './capacity.js';

/** One direction of a link. */
export interface DirectionSettings {
  /** Default 1 Mbit/s; 0 is an outage until the next change. */
  capacity?: Capacity | undefined;
  /** Queue discipline, as `droptail:300ms`, `codel`, `fq_codel:target=13ms`. Default `droptail:300ms`. */
  queue?: string | undefined;
  /** Random loss before the queue: 0.02 or `2%`. Default none. */
  loss?: number | string | undefined;
  /** Mean length of a run of lost packets; 1, the default: losses are independent. */
  burstLoss?: number | undefined;
  /** Standard deviation of the jitter; a number is milliseconds. Default none. */
  jitter?: number | string | undefined;
  /** Outages of a wireless channel, mean times up and down: `100ms/20ms`; `none`, the default. */
  outage?: string | undefined;
  /**
   * TCP connections that share the queue of this direction: `cubic:3`, `cubic:2,newreno:1`; `none`, the default.
   * Those of `back` are its own: the ones beside it go forward alone.
   */
  crossTraffic?: string | undefined;
  /** Default `serial`. */
  bottleneck?: 'serial' | 'token-bucket' | undefined;
}

/** Both directions are alike, but for what `back` says and for cross traffic, which each direction has for itself. */
export interface LinkSettings extends DirectionSettings {
  /** A usual network; other fields override what it says. */
  network?: NetworkName | undefined;
  /** Propagation delay there and back, half of it each way; a number is milliseconds. Default 50 ms. */
  rtt?: number | string | undefined;
  /** Of loss and jitter. Default 1. Only when the link is opened. */
  seed?: number | undefined;
  /** From the side that answered to the side that offered. */
  back?: DirectionSettings | undefined;
}

/** A direction as the shaper takes it: what is given, and nothing else. */
export interface WaySettings {
  options: Omit<Partial<LinkOptions>, 'capacityBps' | 'schedule' | 'seed' | 'burstBytes'>;
  capacity?: CapacitySource;
}

export type PathSettings = Readonly<Record<Direction, WaySettings>>;

const MAX_RTT_MS = 60_000;
const MAX_JITTER_MS = 10_000;
const MAX_BURST_PACKETS = 1e6;

/** Milliseconds from a number or from text with a unit. */
function milliseconds(value: number | string, mostMs: number): number {
  const ms = typeof value === 'number' ? value : parseDuration(value) / 1e3;
  if (ms >= 0 && ms <= mostMs) return ms;
  throw new ConfigError('time', `0 to ${mostMs} ms`, shown(value), 'write for instance 50 or 50ms');
}

/** Of settings that parseLinkSettings took. */
export const rttMs = (rtt: number | string): number => milliseconds(rtt, MAX_RTT_MS);

/** A ratio from a number or a percentage. */
export function lossRatio(value: number | string): number {
  const [, percent] = typeof value === 'string' ? (/^\s*(\d+(?:\.\d+)?)\s*%\s*$/.exec(value) ?? []) : [];
  const part = typeof value === 'number' ? value : percent === undefined ? Number.NaN : Number(percent) / 100;
  if (part >= 0 && part <= 1) return part;
  throw new ConfigError(
    'ratio',
    'a ratio from 0 to 1 or a percentage',
    shown(value),
    'write for instance 0.02 or 2%',
  );
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

const directionFields = {
  capacity,
  queue: parsedBy(v.string('a queue such as droptail:300ms'), (value) => parseQueue(value)),
  loss: parsedBy(numberOrText('a ratio or a percentage'), lossRatio),
  burstLoss: within(1, MAX_BURST_PACKETS, ' packets'),
  jitter: parsedBy(numberOrText('a time'), (value) => milliseconds(value, MAX_JITTER_MS)),
  outage: parsedBy(v.string('none, or outages such as 100ms/20ms'), (value) => parseOutage(value)),
  crossTraffic: parsedBy(v.string('none, or TCP connections such as cubic:3'), (value) =>
    parseCrossTraffic(value),
  ),
  bottleneck: v.picklist(['serial', 'token-bucket'], 'serial or token-bucket'),
};

const optional = <T extends v.ObjectEntries>(entries: T) => v.partial(v.object(entries)).entries;

const settingsSchema = v.strictObject({
  ...optional(directionFields),
  network: v.optional(v.picklist(NETWORK_NAMES, NETWORK_NAMES.join(', '))),
  rtt: v.optional(parsedBy(numberOrText('a time'), rttMs)),
  seed: v.optional(
    v.pipe(
      v.number('an integer'),
      v.integer('an integer'),
      v.minValue(0, 'an integer from 0'),
      v.maxValue(2 ** 32 - 1, 'an integer below 2^32'),
    ),
  ),
  back: v.optional(v.strictObject(optional(directionFields))),
});

/** Checks settings that came from outside. Throws ConfigError with the path of the first that is wrong. */
export function parseLinkSettings(input: unknown, path = 'link'): LinkSettings {
  const result = v.safeParse(settingsSchema, input, { abortEarly: true });
  if (result.success) return result.output;
  const issue = result.issues[0];
  const key = v.getDotPath(issue);
  const isUnknown = issue.type === 'strict_object' && key !== null;
  const names = Object.keys(key?.startsWith('back.') ? directionFields : settingsSchema.entries);
  throw new ConfigError(
    key === null ? path : `${path}.${key}`,
    isUnknown ? `one of ${names.join(', ')}` : issue.message,
    shown(issue.input),
    isUnknown ? `remove ${key}` : 'correct this value',
  );
}

/** What a link is opened with: whatever is not given is as usual. */
export function withDefaults(settings: LinkSettings): LinkSettings {
  const { capacity, queue, rtt_ms, seed } = DEFAULT_LINK_CONFIG;
  return {
    ...(settings.network === undefined && { capacity, queue, rtt: rtt_ms }),
    seed,
    ...given(settings),
  };
}

/**
 * Both directions of settings that parseLinkSettings took. Throws ConfigError for a trace that cannot
 * be read and a function that does not give a rate.
 */
export function pathSettings(settings: LinkSettings, path = 'link'): PathSettings {
  const { network, rtt, back, crossTraffic, ...both } = given(settings);
  const preset = network === undefined ? { forward: {}, back: {}, rtt: undefined } : NETWORKS[network];
  const capacities = new Map<unknown, CapacitySource>();
  const way = (direction: Direction): WaySettings => {
    const own = direction === 'back' ? given(back ?? {}) : given({ crossTraffic });
    const all: DirectionSettings = { ...preset[direction], ...both, ...own };
    const field = `${path}.${'capacity' in own ? 'back.' : ''}capacity`;
    const options = wayOptions(all, rtt ?? preset.rtt);
    if (all.capacity === undefined) return { options };
    // One function is asked once for both directions.
    const source = capacities.get(all.capacity) ?? capacitySource(all.capacity, field);
    capacities.set(all.capacity, source);
    return { options, capacity: source };
  };
  return Object.fromEntries(DIRECTIONS.map((direction) => [direction, way(direction)])) as PathSettings;
}

/** What is given but the capacity, as the core takes it. */
function wayOptions(
  { queue, loss, burstLoss, jitter, outage, crossTraffic, bottleneck }: DirectionSettings,
  rtt: number | string | undefined,
): WaySettings['options'] {
  const config: PartialLinkConfig = {
    ...(rtt !== undefined && { rtt_ms: rttMs(rtt) }),
    ...(queue !== undefined && { queue }),
    ...(loss !== undefined && { loss_ratio: lossRatio(loss) }),
    ...(burstLoss !== undefined && { burst_loss_packets: burstLoss }),
    ...(jitter !== undefined && { jitter_ms: milliseconds(jitter, MAX_JITTER_MS) }),
    ...(outage !== undefined && { outage }),
    ...(crossTraffic !== undefined && { cross_traffic: crossTraffic }),
    ...(bottleneck !== undefined && { bottleneck }),
  };
  return forwardChange(config, 0);
}

/** Without the fields that are undefined. */
function given<T extends object>(settings: T): T {
  return Object.fromEntries(Object.entries(settings).filter(([, value]) => value !== undefined)) as T;
}
