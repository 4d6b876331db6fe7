/** The text form of queue disciplines: `droptail:300ms`, `codel:target=13ms,limit=1000`, `pie-rfc8033`. */
import { parameterNumber } from '../core/parameter_value.js';
import { camelCase, QUEUE_KINDS, type QueueKind, type QueueOptions } from '../core/queue.js';
import { COMPONENT_SPECS, type ParameterSpec } from '../core/schema.js';
import { suggestedFix } from '../text/suggest.js';
import { BYTES, checkLength, ConfigError, shown, withUnit } from '../text/quantities.js';

const EXAMPLES = 'write, for example, droptail:300ms, droptail:64kB, codel:target=13ms, pie or fq_codel';

interface Discipline {
  kind: QueueKind;
  preset?: string;
}

/** The disciplines, keyed by the names that may precede the colon: the names of presets and of queue kinds. */
export const DISCIPLINES: ReadonlyMap<string, Discipline> = new Map(
  QUEUE_KINDS.flatMap((kind): [string, Discipline][] => [
    ...COMPONENT_SPECS[kind].presets.map(({ name }): [string, Discipline] => [name, { kind, preset: name }]),
    [kind, { kind }],
  ]),
);

/**
 * The name of a setting without its unit. `limit_ms` and `limit_bytes` are both written `limit=`, and the unit of
 * the value distinguishes them.
 */
export const shortName = (spec: ParameterSpec): string => spec.name.replace(/_(ms|bytes|packets|per_s)$/, '');

const UNITS: Readonly<Record<string, Readonly<Record<string, number>>>> = {
  ms: { us: 1e-3, ms: 1, s: 1e3, min: 60e3 },
  B: BYTES,
  packets: { p: 1, packets: 1 },
};

/** The value in the parameter's unit; undefined if the text is not a value of this parameter. */
function valueOf(spec: ParameterSpec, text: string, bareAllowed: boolean): number | string | undefined {
  if (spec.values !== undefined) return spec.values.includes(text) ? text : undefined;
  const bare = bareAllowed && spec.unit !== 'ms' && /^\d+(\.\d+)?(e-?\d+)?$/i.test(text);
  const value = bare ? Number(text) : withUnit(text, UNITS[spec.unit] ?? {});
  return value === undefined ? undefined : parameterNumber(spec, value);
}

function expectation(name: string, specs: readonly ParameterSpec[]): string {
  const ranges = specs.map((spec) => {
    const unit = spec.unit === 'packets' ? 'p' : spec.unit === '1/s' ? '' : spec.unit;
    return spec.values?.join(' or ') ?? `${spec.min} to ${spec.max}${unit}`;
  });
  // Only limits have several units. A limit of 0 is within their ranges, but a queue without room is refused.
  return `${name} as ${ranges.join(', or ')}${specs[1] ? ', but not 0' : ''}`;
}

/**
 * Splits a setting at the equals sign into its name and its value. The name is undefined if there is no equals sign,
 * or no name before it.
 */
function keyAndValue(text: string): [key: string | undefined, value: string] {
  const equals = text.indexOf('=');
  const key = text.slice(0, Math.max(0, equals)).trim();
  return /^[a-z_]+$/i.test(key) ? [key, text.slice(equals + 1).trim()] : [undefined, text.trim()];
}

/** Parses one of the settings after the colon. A value without a name is a limit. */
function parseSetting(kind: QueueKind, text: string, field: string): [name: string, value: number | string] {
  const { parameters } = COMPONENT_SPECS[kind];
  const [key, given] = keyAndValue(text);
  const name = (key ?? 'limit').toLowerCase();
  const specs = parameters.filter((spec) => spec.name === name || shortName(spec) === name);
  if (specs.length === 0) {
    const known = [...new Set(parameters.map(shortName))].join(', ');
    throw new ConfigError(field, `a setting of ${kind} (${known})`, shown(text), EXAMPLES);
  }
  const isLimit = name === 'limit' && specs.length > 1;
  for (const spec of specs) {
    const value = valueOf(spec, given, key !== undefined && !isLimit);
    if (value !== undefined && !(isLimit && value === 0)) return [camelCase(spec.name), value];
  }
  throw new ConfigError(field, expectation(name, specs), shown(text), EXAMPLES);
}

function disciplineOf(name: string): Discipline | undefined {
  const id = name.toLowerCase();
  return DISCIPLINES.get(id) ?? DISCIPLINES.get(id.replaceAll('-', '_'));
}

/**
 * Parses a queue: `droptail` (300 ms), `droptail:64kB`, `droptail:100p` (100 packets), `droptail:100ms` (the
 * data that the link carries in 100 ms); `codel`, `pie`, `pie-rfc8033`, `sfq`, `sfq:300ms`, `fq_codel`. Each
 * can have settings: `codel:target=13ms,interval=100ms,limit=1000`. Throws ConfigError.
 */
export function parseQueue(text: string, { field = 'queue' } = {}): QueueOptions {
  checkLength(text, field, EXAMPLES);
  const [, name = '', settings] = /^\s*([a-z0-9_-]+)\s*(?::(.*))?$/is.exec(text) ?? [];
  const found = disciplineOf(name);
  if (found === undefined) {
    const names = [...DISCIPLINES.keys()];
    throw new ConfigError(
      field,
      `one of ${names.join(', ')}`,
      shown(text),
      suggestedFix(name, names, EXAMPLES),
    );
  }
  const options: Record<string, number | string> = {};
  for (const setting of settings?.split(',') ?? []) {
    const [key, value] = parseSetting(found.kind, setting, field);
    if (key in options) {
      const name = (keyAndValue(setting)[0] ?? 'limit').toLowerCase();
      throw new ConfigError(field, `only one ${name}`, shown(text), 'remove the others');
    }
    options[key] = value;
  }
  const limits = Object.keys(options).filter((key) => key.startsWith('limit'));
  if (limits.length > 1) throw new ConfigError(field, 'only one limit', shown(text), 'remove the others');
  return { ...found, ...options } as QueueOptions;
}
