/** The options of queue disciplines. Their names are the parameter names of the schema, in camelCase. */
import { componentValues } from './component.js';
import { CoreError } from './load.js';
import { COMPONENT_SPECS } from './schema.js';
import type { COMPONENTS } from './schema.generated.js';

/** The queue disciplines, in the order of QueueDiscKind in the core. */
export const QUEUE_KINDS = ['droptail', 'codel', 'pie', 'sfq', 'fq_codel'] as const;
export type QueueKind = (typeof QUEUE_KINDS)[number];

type CamelCase<S extends string> = S extends `${infer Head}_${infer Tail}`
  ? `${Head}${Capitalize<CamelCase<Tail>>}`
  : S;
type Component<K extends QueueKind> = (typeof COMPONENTS)[K];
type Value<P> = P extends { values: readonly (infer V)[] } ? V : number;
type ParametersOf<K extends QueueKind> = {
  [P in Component<K>['parameters'][number] as CamelCase<P['name']>]?: Value<P>;
};
type PresetOf<K extends QueueKind> = Component<K>['presets'][number] extends { name: infer N } ? N : never;

/** One discipline: its kind, a preset if the kind has any, and the values that differ from the preset. */
export type QueueOptionsOf<K extends QueueKind> = { kind: K; preset?: PresetOf<K> } & ParametersOf<K>;

/**
 * Any discipline. DropTail accepts at most one limit. The default limit of DropTail and SFQ is what the link
 * carries in 300 ms; that of the other disciplines is a number of packets.
 */
export type QueueOptions = { [K in QueueKind]: QueueOptionsOf<K> }[QueueKind];

/** Converts a name of the schema to camelCase: `limitMs` for `limit_ms`. */
export const camelCase = (name: string): string =>
  name.replace(/_(\w)/g, (_, letter: string) => letter.toUpperCase());

/** The disciplines that accept only one limit. */
const WITH_ONE_LIMIT: readonly QueueKind[] = ['droptail'];

/**
 * Limits of a queue, each in another unit. If any of them is given, those that are not given are turned off.
 */
const LIMITS: readonly string[] = ['limit_ms', 'limit_bytes', 'limit_packets'];

function checkLimits(kind: QueueKind, given: readonly [string, number | string][]): void {
  if (given.length > 1 && WITH_ONE_LIMIT.includes(kind)) {
    throw new CoreError('queue: expected only one limit, in ms, bytes or packets', 'queue');
  }
  const [first] = given;
  if (first === undefined || given.some(([, value]) => value !== 0)) return;
  const field = `queue.${camelCase(first[0])}`;
  throw new CoreError(`${field}: expected a limit above 0, got 0`, field);
}

/**
 * The arguments of the ABI for a discipline: the number of its kind, and all its values in the schema's order.
 * Throws CoreError.
 */
export function queueArguments(queue: QueueOptions): { kind: number; values: number[] } {
  const { kind, preset, ...options } = queue;
  const number = QUEUE_KINDS.indexOf(kind);
  if (number < 0) {
    throw new CoreError(
      `queue.kind: expected ${QUEUE_KINDS.join(', ')}, got ${kind as string}`,
      'queue.kind',
    );
  }
  const names = new Map(COMPONENT_SPECS[kind].parameters.map(({ name }) => [camelCase(name), name]));
  const entries = Object.entries(options as Record<string, number | string | undefined>);
  const given = entries.flatMap(([key, value]): [string, number | string][] =>
    value === undefined ? [] : [[names.get(key) ?? key, value]],
  );
  const limits = given.filter(([name]) => LIMITS.includes(name));
  if (names.has('limitMs')) checkLimits(kind, limits);
  const off = limits.length === 0 ? [] : LIMITS.filter((name) => names.has(camelCase(name)));
  const parameters = Object.fromEntries([...off.map((name): [string, number] => [name, 0]), ...given]);
  return {
    kind: number,
    values: componentValues(kind, {
      preset: preset as string | undefined,
      parameters,
      path: 'queue',
      spell: camelCase,
    }),
  };
}
