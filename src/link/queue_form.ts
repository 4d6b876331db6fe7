/** A queue in the form that an input form needs: its discipline, its limit, and its other settings. */
import { camelCase, type QueueKind } from '../core/queue.js';
import { COMPONENT_SPECS, presetValue, type ParameterSpec } from '../core/schema.js';
import { DISCIPLINES, parseQueue, shortName } from './queue_text.js';

/** Values of settings, keyed by the parameters' names in the schema. */
type Values = Readonly<Record<string, number>>;

export interface QueueForm {
  /** The text before the colon, such as `pie-rfc8033`. */
  discipline: string;
  /** The settings that replace the discipline's defaults. */
  given: Values;
}

const LIMITS: readonly string[] = ['limit_ms', 'limit_bytes', 'limit_packets'];
const isLimit = ({ name }: ParameterSpec): boolean => LIMITS.includes(name);

const kindOf = (discipline: string): QueueKind => DISCIPLINES.get(discipline)?.kind ?? 'droptail';

/** The limits that a discipline can have. A queue uses only one of them. */
export const limitsOf = (discipline: string): readonly ParameterSpec[] =>
  COMPONENT_SPECS[kindOf(discipline)].parameters.filter(isLimit);

/** The settings of a discipline other than its limits. */
export const settingsOf = (discipline: string): readonly ParameterSpec[] =>
  COMPONENT_SPECS[kindOf(discipline)].parameters.filter((spec) => !isLimit(spec));

/** The default value of a setting in a discipline. */
export function ownValue(discipline: string, spec: ParameterSpec): number {
  const { kind, preset } = DISCIPLINES.get(discipline) ?? { kind: 'droptail' };
  const known = COMPONENT_SPECS[kind].presets.find(({ name }) => name === (preset ?? kind));
  return known ? presetValue(known, spec) : spec.default;
}

/** The limit that the queue uses, and its value; null if the queue has no limit. */
export function limitOf({ discipline, given }: QueueForm): { spec: ParameterSpec; value: number } | null {
  const limits = limitsOf(discipline);
  const spec =
    limits.find(({ name }) => name in given) ?? limits.find((each) => ownValue(discipline, each) > 0);
  return spec === undefined ? null : { spec, value: given[spec.name] ?? ownValue(discipline, spec) };
}

/** Parses the text of a queue. Throws ConfigError. */
export function queueForm(text: string): QueueForm {
  const { kind, preset, ...options } = parseQueue(text);
  const values = options as Readonly<Record<string, number | string | undefined>>;
  const given = COMPONENT_SPECS[kind].parameters.flatMap((spec): [string, number][] => {
    const value = values[camelCase(spec.name)];
    if (value === undefined) return [];
    return [[spec.name, typeof value === 'string' ? (spec.values?.indexOf(value) ?? 0) : value]];
  });
  return { discipline: typeof preset === 'string' ? preset : kind, given: Object.fromEntries(given) };
}

/** Returns the queue with this limit instead of its current limit. */
export function withLimit({ discipline, given }: QueueForm, name: string, value: number): QueueForm {
  const others = Object.entries(given).filter(([key]) => !LIMITS.includes(key));
  return { discipline, given: { ...Object.fromEntries(others), [name]: value } };
}

/** Returns the queue with another value of a setting; null restores the discipline's default. */
export function withSetting({ discipline, given }: QueueForm, name: string, value: number | null): QueueForm {
  const { [name]: _, ...others } = given;
  return { discipline, given: value === null ? others : { ...others, [name]: value } };
}

const UNIT: Readonly<Record<string, string>> = { ms: 'ms', B: 'B', packets: 'p' };

function valueText(spec: ParameterSpec, value: number): string {
  if (spec.values !== undefined) return spec.values[value] ?? '';
  // The unit of a limit is always written, since it shows which limit is meant. Of the other settings, only times
  // need a unit.
  return `${value}${isLimit(spec) || spec.unit === 'ms' ? (UNIT[spec.unit] ?? '') : ''}`;
}

/**
 * Writes a queue as text. A limit that is not in `given` is left out. DropTail always shows its limit, since it has
 * no other setting.
 */
export function queueText(form: QueueForm): string {
  const { discipline, given } = form;
  const limit = limitOf(form);
  const isSaid = limit !== null && (limit.spec.name in given || discipline === 'droptail');
  const others = settingsOf(discipline).flatMap((spec) => {
    const value = given[spec.name];
    return value === undefined ? [] : [`${shortName(spec)}=${valueText(spec, value)}`];
  });
  const parts = [...(isSaid ? [valueText(limit.spec, limit.value)] : []), ...others];
  return parts.length === 0 ? discipline : `${discipline}:${parts.join(',')}`;
}
