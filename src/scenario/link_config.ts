/**
 * The link as people write it: `1mbps`, `1.5mbps,0.6mbps@20s`, `droptail:300ms`. Every parser throws
 * a ConfigError that says which field is wrong, what was expected there and how to mend it.
 * kilo is 1000: 1 kbps is 1000 bit/s, 1 kB is 1000 bytes.
 */
import * as v from 'valibot';

import type { CapacityStep, LinkOptions } from '../core/link.js';
import { parseCrossTraffic, parseOutage } from './load_text.js';
import { BPS, ConfigError, cut, MAX_SETTING_LENGTH, parseDuration, shown, withUnit } from './quantities.js';
import { parseQueue } from './queue_text.js';

export { ConfigError, parseDuration, shown } from './quantities.js';
export { parseCrossTraffic, parseOutage } from './load_text.js';
export { parseQueue } from './queue_text.js';

const MAX_BPS = 1e11;
const MAX_BURST_PACKETS = 1e6;
/** As many as a trace of ten minutes can have. */
const MAX_STEPS = 1_000_000;

/**
 * A rate in bit/s: `1mbps`, `500kbps`, or a number, which is bit/s already. 0 is an outage, where
 * `outage` allows it. Throws ConfigError.
 */
export function parseRate(value: string | number, { field = 'capacity', outage = false } = {}): number {
  const isNumber =
    typeof value === 'number' || (value.length <= MAX_SETTING_LENGTH && /^\s*\d+(\.\d+)?\s*$/.test(value));
  const bps = isNumber ? Number(value) : withUnit(value, BPS);
  if (bps !== undefined && ((bps >= 1 && bps <= MAX_BPS) || (outage && bps === 0))) return bps;
  const expected = `a rate from 1 bps to 100 gbps${outage ? ', or 0 for an outage' : ''}`;
  throw new ConfigError(field, expected, shown(value), 'write for instance 1mbps or 500kbps');
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
    steps.push({ atUs, capacityBps: parseRate(rate, { field, outage: outage || last !== undefined }) });
  }
  return steps;
}

/** True if `parse` takes the value; its message if not. */
function problemOf(parse: () => unknown): string | undefined {
  try {
    parse();
    return undefined;
  } catch (error) {
    return error instanceof ConfigError ? `${error.expected}; ${error.fix}` : String(error);
  }
}

/** Takes what `parse` takes; otherwise the issue says what `parse` expected. */
export const parsedBy = <T extends string | number>(
  schema: v.GenericSchema<T>,
  parse: (value: T) => unknown,
): v.GenericSchema<T> =>
  v.pipe(
    schema,
    v.rawCheck(({ dataset, addIssue }) => {
      if (!dataset.typed) return;
      const message = problemOf(() => parse(dataset.value));
      if (message !== undefined) addIssue({ message });
    }),
  );

/** A number in a range. */
export const within = (min: number, max: number, unit = ''): v.GenericSchema<number> => {
  const message = `a number from ${min} to ${max}${unit}`;
  return v.pipe(v.number(message), v.minValue(min, message), v.maxValue(max, message));
};

const fields = {
  /** A rate or a schedule; a number is bit/s. */
  capacity: parsedBy(v.union([v.string(), v.number()], 'a rate such as 1mbps'), (value) =>
    parseSchedule(value),
  ),
  queue: parsedBy(v.string('a queue such as droptail:300ms'), (value) => parseQueue(value)),
  /** Half of it on each direction. */
  rtt_ms: within(0, 60_000, ' ms'),
  loss_ratio: within(0, 1, ''),
  /** Mean length of a run of lost packets; 1: independent losses. */
  burst_loss_packets: within(1, MAX_BURST_PACKETS, ' packets'),
  /** Standard deviation. */
  jitter_ms: within(0, 10_000, ' ms'),
  outage: parsedBy(v.string('none, or outages such as 100ms/20ms'), (value) => parseOutage(value)),
  cross_traffic: parsedBy(v.string('none, or TCP connections such as cubic:3'), (value) =>
    parseCrossTraffic(value),
  ),
  bottleneck: v.picklist(['serial', 'token-bucket'], 'serial or token-bucket'),
  seed: v.pipe(v.number('an integer'), v.safeInteger('an integer'), v.minValue(0, 'an integer from 0')),
};

/** Where the rows of this link have their zero: milliseconds since 1970. */
const origin = v.optional(v.pipe(v.number('milliseconds since 1970'), v.finite('milliseconds since 1970')));

/** The settings of a link, each of which may be left out. */
export const linkEntries = v.partial(v.object(fields)).entries;

const partialLinkConfig = v.strictObject({ ...linkEntries, origin_epoch_ms: origin });

/**
 * A link in both directions: capacity, queue, loss, jitter, outages and cross traffic on the way there, half the RTT
 * on each.
 */
export type LinkConfig = { [K in keyof typeof fields]: v.InferOutput<(typeof fields)[K]> } & {
  origin_epoch_ms?: number;
};
export type PartialLinkConfig = Partial<LinkConfig>;

export const DEFAULT_LINK_CONFIG: LinkConfig = {
  capacity: '1mbps',
  queue: 'droptail:300ms',
  rtt_ms: 50,
  loss_ratio: 0,
  burst_loss_packets: 1,
  jitter_ms: 0,
  outage: 'none',
  cross_traffic: 'none',
  bottleneck: 'serial',
  seed: 1,
};

/** Checks settings that came from outside. Throws ConfigError with the path of the first that is wrong. */
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

/** The forward direction as the core takes it; a schedule's times count from `startUs` of the link's clock. */
export function forwardLink(config: LinkConfig, startUs = 0): LinkOptions {
  return {
    ...forwardChange(config, startUs),
    capacityBps: firstCapacityBps(config.capacity),
    seed: config.seed,
  };
}

/** The part of the forward direction that a change of settings touches. */
export function forwardChange(config: PartialLinkConfig, startUs: number): Partial<LinkOptions> {
  const { capacity, queue, rtt_ms, jitter_ms, outage, cross_traffic, bottleneck } = config;
  const { loss_ratio, burst_loss_packets } = config;
  return {
    ...(capacity !== undefined && {
      capacityBps: firstCapacityBps(capacity),
      schedule: parseSchedule(capacity)
        .slice(1)
        .map(({ atUs, capacityBps }) => ({ atUs: startUs + atUs, capacityBps })),
    }),
    ...(queue !== undefined && { queue: parseQueue(queue) }),
    ...(rtt_ms !== undefined && { oneWayDelayUs: (rtt_ms * 1000) / 2 }),
    ...(loss_ratio !== undefined && { lossRatio: loss_ratio }),
    ...(burst_loss_packets !== undefined && { burstLossPackets: burst_loss_packets }),
    ...(jitter_ms !== undefined && { jitterUs: jitter_ms * 1000 }),
    ...(outage !== undefined && { outages: parseOutage(outage) }),
    ...(cross_traffic !== undefined && { crossTraffic: parseCrossTraffic(cross_traffic) }),
    ...(bottleneck !== undefined && { bottleneck }),
  };
}

function firstCapacityBps(capacity: string | number): number {
  return parseSchedule(capacity)[0]?.capacityBps ?? 0;
}
