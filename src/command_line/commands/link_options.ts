/** The options that describe a link. Several commands share them. */
import { readFileSync } from 'node:fs';

import { InvalidArgumentError, Option, type Command } from 'commander';

import { LINK_FIELDS, LINK_KEYS, readLinkValue, type LinkKey } from '../../link/fields.js';
import { DEFAULT_LINK_CONFIG, parseLinkConfig, type LinkConfig } from '../../link/link_config.js';
import { mahimahiSchedule } from '../../link/mahimahi.js';
import { LINK_WORDS, usualText } from '../../link/words.js';
import { ConfigError, parseDuration } from '../../text/quantities.js';
import { systemCode } from '../../text/errors.js';
import { didYouMean } from '../../text/suggest.js';

/**
 * The options of a link. Each key is the `setting` of a field in LINK_FIELDS. Each value has the type of this field
 * in LinkConfig.
 */
export type LinkFlags = { [K in LinkKey as (typeof LINK_FIELDS)[K]['setting']]: LinkConfig[K] };

/** Adds a full stop to a message that does not end with a punctuation mark. */
export const sentence = (message: string): string => (/[.!?]$/.test(message) ? message : `${message}.`);

/** Wraps a parser of this package, so that its ConfigError becomes a usage error of the command line. */
export function argument<T>(parse: (text: string) => T): (text: string) => T {
  return (text) => {
    try {
      return parse(text);
    } catch (error) {
      if (error instanceof ConfigError)
        throw new InvalidArgumentError(sentence(`Expected ${error.expected}; ${error.fix}`));
      throw error;
    }
  };
}

/** Parses a number in a range, for options without a unit. */
export function numberArgument(min: number, max: number, { integer = false } = {}): (text: string) => number {
  return (text) => {
    const value = text.trim() === '' ? Number.NaN : Number(text);
    if (value >= min && value <= max && (!integer || Number.isInteger(value))) return value;
    throw new InvalidArgumentError(`Expected ${integer ? 'an integer' : 'a number'} from ${min} to ${max}.`);
  };
}

/**
 * An option with a fixed list of values. The error for an unknown value lists them and suggests the most similar
 * one.
 */
export function choice(flags: string, description: string, values: readonly string[]): Option {
  return new Option(flags, description).choices(values).argParser((text: string) => {
    if (values.includes(text)) return text;
    throw new InvalidArgumentError(`Expected one of ${values.join(', ')}.${didYouMean(text, values)}`);
  });
}

/** Parses a duration of at least `minMs`, and returns milliseconds. */
export const millisecondsArgument = (minMs = 0): ((text: string) => number) =>
  argument((text) => {
    const ms = parseDuration(text) / 1e3;
    if (ms >= minMs) return ms;
    throw new InvalidArgumentError(`Expected at least ${minMs} ms.`);
  });

/** How much of a mahimahi trace is written as a schedule. */
const TRACE_US = 300e6;

/** Called with the path and the text of a mahimahi trace that is given as capacity, and with null for another one. */
export type OnTrace = (trace: { path: string; text: string } | null) => void;

/**
 * Returns a capacity in the syntax of the command line. The beginning of a mahimahi trace is converted to a schedule
 * in this syntax.
 */
const capacityArgument = (onTrace: OnTrace) =>
  argument((text) => {
    const [, file] = /^mahimahi:(.+)$/.exec(text) ?? [];
    if (file === undefined) {
      onTrace(null);
      return readLinkValue('capacity', text);
    }
    const trace = { path: file, text: traceText(file) };
    onTrace(trace);
    return mahimahiSchedule(trace.text, TRACE_US, { field: file })
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

const TRACES = ', or mahimahi:FILE, a trace that is repeated';

/** The option for a setting: `--burst-loss` for `burstLoss`. */
const flagOf = (setting: string): string => `--${setting.replace(/[A-Z]/g, (c) => `-${c.toLowerCase()}`)}`;

/** Adds the options of a link to a command. With `onTrace`, the capacity may also be a mahimahi trace. */
export function addLinkOptions(command: Command, { onTrace }: { onTrace?: OnTrace } = {}): Command {
  for (const key of LINK_KEYS) {
    const { setting, usual } = LINK_FIELDS[key];
    const { argument: value, is } = LINK_WORDS[key];
    const traced = key === 'capacity' ? onTrace : undefined;
    const option = new Option(`${flagOf(setting)} ${value}`, traced ? `${is}${TRACES}` : is)
      .default(usual, usualText(key))
      .argParser(traced ? capacityArgument(traced) : argument((text: string) => readLinkValue(key, text)));
    command.addOption(option);
  }
  return command;
}

/** Throws ConfigError for invalid settings. */
export function linkConfigOf(flags: Partial<LinkFlags>): LinkConfig {
  const given = LINK_KEYS.map((key) => [key, flags[LINK_FIELDS[key].setting]]);
  return { ...DEFAULT_LINK_CONFIG, ...parseLinkConfig(Object.fromEntries(given)) };
}
