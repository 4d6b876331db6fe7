/** A queue in the form that an input form needs: its discipline, its limit, and its other settings. */
import { camelCase, type QueueKind } from '../core/queue.js';
import { parameterValue } from '../core/parameter_value.js';
import { COMPONENT_SPECS, type ParameterSpec } from '../core/schema.js';
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
  return parameterValue(COMPONENT_SPECS[kind], spec, preset ?? kind);
}

export interface QueueLimit {
  spec: ParameterSpec;
  value: number;
}

/** The limit that the queue uses, and its value; null if the queue has no limit. */
export function limitOf({ discipline, given }: QueueForm): QueueLimit | null {
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

/** A limit in time or in bytes becomes a limit in packets of this size, if a discipline counts only packets. */
export const LIMIT_PACKET_BYTES = 1500;

/** A limit that became a number of packets. */
export interface ConvertedLimit {
  from: QueueLimit;
  packets: number;
  /** The capacity that a limit in time was converted with. */
  capacityBps: number;
}

const counts = (discipline: string, { spec }: QueueLimit): boolean =>
  limitsOf(discipline).some(({ name }) => name === spec.name);

/**
 * Changes the discipline of a queue. A limit that is not the discipline's default is kept, so that the network stays
 * the same. If a discipline is chosen again, its earlier settings return.
 */
export class QueueMemory {
  readonly #left = new Map<string, Values>();
  #converted: ConvertedLimit | null = null;

  /** `capacityBps` is the capacity of the bottleneck; null if it is not known. */
  change(form: QueueForm, discipline: string, capacityBps: number | null): QueueForm {
    this.#left.set(form.discipline, form.given);
    const next = { discipline, given: this.#left.get(discipline) ?? {} };
    const limit = this.conversion(form)?.from ?? limitOf(form);
    if (limit === null || limit.value === ownValue(form.discipline, limit.spec)) return next;
    if (counts(discipline, limit)) return withLimit(next, limit.spec.name, limit.value);
    const isTime = limit.spec.unit === 'ms';
    if (isTime && capacityBps === null) return next;
    const bytes = isTime ? (limit.value / 1e3) * ((capacityBps ?? 0) / 8) : limit.value;
    const packets = Math.max(1, Math.round(bytes / LIMIT_PACKET_BYTES));
    this.#converted = { from: limit, packets, capacityBps: capacityBps ?? 0 };
    return withLimit(next, 'limit_packets', packets);
  }

  /** The conversion that produced the current limit of the queue; null if there is no such conversion. */
  conversion(form: QueueForm): ConvertedLimit | null {
    const converted = this.#converted;
    if (converted === null || counts(form.discipline, converted.from)) return null;
    return limitOf(form)?.value === converted.packets ? converted : null;
  }
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

/** The text of a queue with its limit, even if the limit is the discipline's default. */
export function queueWithLimit(text: string): string {
  const form = queueForm(text);
  const limit = limitOf(form);
  return queueText(limit === null ? form : withLimit(form, limit.spec.name, limit.value));
}
