/**
 * The settings of a link, each declared once. A declaration contains the setting's names, the parser of its values,
 * its default, and its conversion to options of the core. A setting has names in JSON, in the settings of a test, on
 * the command line, and in a URL of the app. All code that reads or shows the settings of a link uses this table.
 *
 * In JSON, the setting's name contains the unit of a number: `rtt_ms: 80`. In the settings of a test, a number has
 * the same unit, and text states its own unit: `rtt: 80`, `rtt: '80ms'`. On the command line, this is `--rtt 80ms`.
 */
import * as v from 'valibot';

import { BOTTLENECKS, type Bottleneck } from '../core/link_arguments.js';
import type { LinkOptions } from '../core/link.js';
import { parsedBy, within } from '../text/form.js';
import { ConfigError, parseDuration, parseRatio, shown } from '../text/quantities.js';
import { parseSchedule } from './capacity_text.js';
import { parseCrossTraffic, parseOutage, parseReorder } from './load_text.js';
import { parseQueue } from './queue_text.js';

/** Whether a setting applies to each direction separately or to both together. */
type Scope = 'way' | 'path';

interface Common<T> {
  /** The setting's name in the settings of a test and, with dashes, on the command line. */
  setting: string;
  /** The setting's name in a URL of the app; null if URLs do not have the setting. */
  url: string | null;
  scope: Scope;
  usual: T;
  /** Converts the value to options of the core. The times of a schedule are relative to the link's start. */
  core(value: T): Partial<LinkOptions>;
}

/** A setting that is a number, in the unit that its name in JSON states. */
interface NumberField extends Common<number> {
  kind: 'number';
  min: number;
  max: number;
  /** The largest value in a URL of the app, if the link's own limit is too large for a form. */
  mostInUrl?: number;
  /** The description of valid values in error messages; default: the range. */
  expected?: string;
  /** The unit to write after a number, including a space. */
  unit: '' | ' ms' | ' packets';
  isWhole: boolean;
  /** Parses a value that was written as text, such as `80ms` or `2%`. Throws ConfigError. */
  read(text: string): number;
  /** The default as text, such as `50ms`. */
  usualText: string;
}

/** A setting whose value is text. The text is kept unchanged. */
interface TextField extends Common<string> {
  kind: 'text';
  /** Describes the valid values, for the error message about a value that is not text. */
  expected: string;
  /** Throws ConfigError if the text is invalid. */
  check(text: string): unknown;
}

export type LinkField = NumberField | TextField;

type Names<S extends string, U extends string | null, P extends Scope> = { setting: S; url: U; scope: P };
type Without<F extends LinkField> = Omit<F, 'kind' | 'setting' | 'url' | 'scope'>;
/** The fields of a NumberField that a declaration may omit, since `number` has defaults for them. */
type Alike = Pick<NumberField, 'isWhole' | 'read' | 'usualText'>;

const number = <const S extends string, const U extends string | null, const P extends Scope>(
  field: Names<S, U, P> & Omit<Without<NumberField>, keyof Alike> & Partial<Alike>,
): NumberField & Names<S, U, P> => ({
  kind: 'number',
  isWhole: false,
  read: plainNumber,
  usualText: String(field.usual),
  ...field,
});

const text = <const S extends string, const U extends string | null, const P extends Scope>(
  field: Names<S, U, P> & Without<TextField>,
): TextField & Names<S, U, P> => ({ kind: 'text', ...field });

function plainNumber(value: string): number {
  const read = value.trim() === '' ? Number.NaN : Number(value);
  if (!Number.isNaN(read)) return read;
  throw new ConfigError('number', 'a number', shown(value), 'write, for example, 2');
}

const milliseconds = (value: string): number => parseDuration(value) / 1e3;

function parseBottleneck(value: string): Bottleneck {
  const known = BOTTLENECKS.find((name) => name === value);
  if (known !== undefined) return known;
  throw new ConfigError('bottleneck', BOTTLENECKS.join(' or '), shown(value), 'write one of these');
}

/** The settings, keyed by their names in JSON, in the order in which they are shown. */
export const LINK_FIELDS = {
  capacity: text({
    setting: 'capacity',
    url: 'capacity',
    scope: 'way',
    usual: '1mbps',
    expected: 'a rate such as 1mbps',
    check: (value) => parseSchedule(value),
    core: (value) => {
      const [first, ...schedule] = parseSchedule(value);
      return { capacityBps: first?.capacityBps ?? 0, schedule };
    },
  }),
  queue: text({
    setting: 'queue',
    url: 'queue',
    scope: 'way',
    usual: 'droptail:300ms',
    expected: 'a queue such as droptail:300ms',
    check: parseQueue,
    core: (value) => ({ queue: parseQueue(value) }),
  }),
  rtt_ms: number({
    setting: 'rtt',
    url: 'rtt_ms',
    scope: 'path',
    usual: 50,
    usualText: '50ms',
    min: 0,
    max: 60_000,
    mostInUrl: 2000,
    unit: ' ms',
    read: milliseconds,
    core: (value) => ({ oneWayDelayUs: (value * 1000) / 2 }),
  }),
  loss_ratio: number({
    setting: 'loss',
    url: 'loss',
    scope: 'way',
    usual: 0,
    expected: 'a ratio from 0 to 1 or a percentage',
    min: 0,
    max: 1,
    unit: '',
    read: (value) => parseRatio(value),
    core: (value) => ({ lossRatio: value }),
  }),
  burst_loss_packets: number({
    setting: 'burstLoss',
    url: 'burst_loss',
    scope: 'way',
    usual: 1,
    min: 1,
    max: 1e6,
    unit: ' packets',
    core: (value) => ({ burstLossPackets: value }),
  }),
  jitter_ms: number({
    setting: 'jitter',
    url: 'jitter_ms',
    scope: 'way',
    usual: 0,
    usualText: 'none',
    min: 0,
    max: 10_000,
    mostInUrl: 500,
    unit: ' ms',
    read: milliseconds,
    core: (value) => ({ jitterUs: value * 1000 }),
  }),
  reorder: text({
    setting: 'reorder',
    url: 'reorder',
    scope: 'way',
    usual: 'none',
    expected: 'none, or a ratio and a time such as 0.01/20ms',
    check: parseReorder,
    core: (value) => ({ reordering: parseReorder(value) }),
  }),
  outage: text({
    setting: 'outage',
    url: 'outage',
    scope: 'way',
    usual: 'none',
    expected: 'none, or outages such as 100ms/20ms',
    check: parseOutage,
    core: (value) => ({ outages: parseOutage(value) }),
  }),
  cross_traffic: text({
    setting: 'crossTraffic',
    url: 'cross_traffic',
    scope: 'way',
    usual: 'none',
    expected: 'none, or TCP connections such as cubic:3',
    check: parseCrossTraffic,
    core: (value) => ({ crossTraffic: parseCrossTraffic(value) }),
  }),
  bottleneck: text({
    setting: 'bottleneck',
    // In URLs, `bottleneck` means something else: whether the local server or the page shapes the traffic.
    url: null,
    scope: 'way',
    usual: 'serial',
    expected: BOTTLENECKS.join(' or '),
    check: parseBottleneck,
    core: (value) => ({ bottleneck: parseBottleneck(value) }),
  }),
  seed: number({
    setting: 'seed',
    url: 'seed',
    scope: 'path',
    usual: 1,
    min: 0,
    max: 2 ** 32 - 1,
    unit: '',
    isWhole: true,
    // The core takes the seed only when the link is created.
    core: () => ({}),
  }),
} as const;

type Fields = typeof LINK_FIELDS;
/** The name of a setting in JSON. */
export type LinkKey = keyof Fields;
export const LINK_KEYS = Object.keys(LINK_FIELDS) as LinkKey[];

/** The type of a setting's value in JSON. */
export type LinkValue<K extends LinkKey> = K extends 'bottleneck'
  ? Bottleneck
  : Fields[K]['usual'] extends number
    ? number
    : string;

/** The settings that apply to each direction separately, by their names in the settings of a test. */
export type WaySetting = {
  [K in LinkKey]: Fields[K]['scope'] extends 'way' ? Fields[K]['setting'] : never;
}[LinkKey];

/** Returns the declaration of a setting, with the type that all declarations share. */
export const linkField = (key: LinkKey): LinkField => LINK_FIELDS[key];

/** The schema of a setting in JSON. */
export function linkSchema(key: LinkKey): v.GenericSchema<string | number> {
  const field = linkField(key);
  // A rate may be a number of bits per second.
  if (key === 'capacity')
    return parsedBy(v.union([v.string(), v.number()], 'a rate such as 1mbps'), (value) =>
      parseSchedule(value),
    );
  if (field.kind === 'text') return parsedBy(v.string(field.expected), (value) => field.check(value));
  const { min, max, unit, isWhole } = field;
  const range = within(min, max, unit);
  return isWhole ? v.pipe(range, v.integer('an integer')) : range;
}

/**
 * Converts a user's value to its form in JSON. The value is a number in the setting's unit, or text with its
 * own unit. Throws a ConfigError that names the expected values.
 */
export function readLinkValue(key: LinkKey, value: string | number): string | number {
  const field = linkField(key);
  if (field.kind === 'text') {
    field.check(String(value));
    return value;
  }
  const { min, max, unit, isWhole } = field;
  const read = typeof value === 'number' ? value : field.read(value);
  if (read >= min && read <= max && (!isWhole || Number.isInteger(read))) return read;
  const { expected = `${isWhole ? 'an integer' : 'a number'} from ${min} to ${max}${unit}` } = field;
  throw new ConfigError(field.setting, expected, shown(value), `write, for example, ${field.usualText}`);
}
