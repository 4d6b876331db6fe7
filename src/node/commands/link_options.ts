/** The options that describe a link, shared by the commands that have one. */
import { readFileSync } from 'node:fs';

import { InvalidArgumentError, type Command } from 'commander';

import {
  ConfigError,
  DEFAULT_LINK_CONFIG,
  parseCrossTraffic,
  parseDuration,
  parseLinkConfig,
  parseOutage,
  parseQueue,
  parseSchedule,
  type LinkConfig,
} from '../../scenario/link_config.js';
import { mahimahiSchedule } from '../../scenario/mahimahi.js';
import { systemCode } from '../errors.js';

export interface LinkFlags {
  capacity: string;
  queue: string;
  rtt: number;
  loss: number;
  burstLoss: number;
  jitter: number;
  outage: string;
  crossTraffic: string;
  bottleneck: string;
  seed: number;
}

/** Turns what a parser of this package refuses into a usage error of the command line. */
export function argument<T>(parse: (text: string) => T): (text: string) => T {
  return (text) => {
    try {
      return parse(text);
    } catch (error) {
      if (error instanceof ConfigError)
        throw new InvalidArgumentError(`Expected ${error.expected}; ${error.fix}.`);
      throw error;
    }
  };
}

/** Text that `parse` accepts, kept as it was written. */
const checked = (parse: (text: string) => unknown) =>
  argument((text) => {
    parse(text);
    return text;
  });

/** A number in a range, for options without a unit. */
export function numberArgument(min: number, max: number, { integer = false } = {}): (text: string) => number {
  return (text) => {
    const value = text.trim() === '' ? Number.NaN : Number(text);
    if (value >= min && value <= max && (!integer || Number.isInteger(value))) return value;
    throw new InvalidArgumentError(`Expected ${integer ? 'an integer' : 'a number'} from ${min} to ${max}.`);
  };
}

/** A duration in milliseconds, of at least `minMs`. */
export const millisecondsArgument = (minMs = 0): ((text: string) => number) =>
  argument((text) => {
    const ms = parseDuration(text) / 1e3;
    if (ms >= minMs) return ms;
    throw new InvalidArgumentError(`Expected at least ${minMs} ms.`);
  });

const DEFAULTS = DEFAULT_LINK_CONFIG;

const MAX_BURST_PACKETS = 1e6;
/** How much of a trace is used; its last capacity stays. */
const TRACE_US = 300e6;

/** A capacity as it was written, or that of a trace of mahimahi's as a schedule. */
const capacityArgument = argument((text) => {
  const [, file] = /^mahimahi:(.+)$/.exec(text) ?? [];
  if (file === undefined) {
    parseSchedule(text);
    return text;
  }
  return mahimahiSchedule(traceText(file), TRACE_US, { field: file })
    .map(({ atUs, capacityBps }) => `${capacityBps}bps${atUs === 0 ? '' : `@${atUs / 1e3}ms`}`)
    .join(',');
});

function traceText(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    throw new InvalidArgumentError(`${file} cannot be read (${systemCode(error) ?? 'unknown error'}).`);
  }
}

/** Adds the options of a link to a command; where `traces`, the capacity may be a trace of mahimahi's. */
export function addLinkOptions(command: Command, { traces = false } = {}): Command {
  const schedule = 'capacity, or a schedule such as 1.5mbps,0.6mbps@20s,1.5mbps@40s';
  return command
    .option(
      '--capacity <rate>',
      traces ? `${schedule}, or mahimahi:FILE (its first 5 minutes, repeated if shorter)` : schedule,
      traces ? capacityArgument : checked(parseSchedule),
      String(DEFAULTS.capacity),
    )
    .option(
      '--queue <queue>',
      'droptail:300ms, droptail:64kB or droptail:100p; codel, pie, pie-rfc8033, sfq, fq_codel, also with settings: codel:target=13ms,limit=1000',
      checked(parseQueue),
      DEFAULTS.queue,
    )
    .option(
      '--rtt <time>',
      'round-trip propagation delay, half on each way (default: 50ms)',
      millisecondsArgument(),
    )
    .option(
      '--loss <ratio>',
      'random loss on the way there, 0 to 1',
      numberArgument(0, 1),
      DEFAULTS.loss_ratio,
    )
    .option(
      '--burst-loss <packets>',
      'mean length of a run of lost packets; 1: independent losses',
      numberArgument(1, MAX_BURST_PACKETS),
      DEFAULTS.burst_loss_packets,
    )
    .option(
      '--jitter <time>',
      'standard deviation of the jitter on the way there (default: none)',
      millisecondsArgument(),
    )
    .option(
      '--outage <on/off>',
      'outages on the way there, by the mean times with and without a connection, such as 100ms/20ms',
      checked(parseOutage),
      DEFAULTS.outage,
    )
    .option(
      '--cross-traffic <flows>',
      'TCP connections in the same queue: cubic:3, newreno:1 or cubic:2,newreno:1',
      checked(parseCrossTraffic),
      DEFAULTS.cross_traffic,
    )
    .option('--bottleneck <mode>', 'serial or token-bucket', DEFAULTS.bottleneck)
    .option(
      '--seed <number>',
      'seed of whatever is random in the link',
      numberArgument(0, 2 ** 32 - 1, { integer: true }),
      DEFAULTS.seed,
    );
}

/** Throws ConfigError. */
export function linkConfigOf(flags: Partial<LinkFlags>): LinkConfig {
  const { capacity, queue, rtt, loss, jitter, bottleneck, seed } = flags;
  const { burstLoss, outage, crossTraffic } = flags;
  const config = parseLinkConfig({
    capacity,
    queue,
    rtt_ms: rtt,
    loss_ratio: loss,
    burst_loss_packets: burstLoss,
    jitter_ms: jitter,
    outage,
    cross_traffic: crossTraffic,
    bottleneck,
    seed,
  });
  return { ...DEFAULTS, ...config };
}
