import * as v from 'valibot';

import type { ControllerOptions, ReceiverHalf, SenderHalf, TraceEvent } from '../core/index.js';
import { shown, TraceError } from './errors.js';
import type { TraceHeader } from './header.js';
import { checkPreset, ParameterProblem, parameterValue } from './parameters.js';

/** Where in a trace something stands. */
export interface Place {
  file?: string;
  line: number;
}

interface ParameterChange {
  name: string;
  value: number;
}

type Half = Pick<ReceiverHalf | SenderHalf, 'setPreset' | 'setParameter'>;

/** What changes of preset leave alone: the application's bounds. */
const KEPT_BY_PRESETS: readonly string[] = ['min_bitrate_bps', 'max_bitrate_bps', 'start_bitrate_bps'];

/** Which preset and parameters a replay runs with, as recorded changes go by. */
export class ReplayPlan {
  #preset: string;
  #parameters: Record<string, number>;
  readonly #fixed: Readonly<Record<string, number>>;

  constructor(
    preset: string,
    parameters: Record<string, number>,
    fixed: Readonly<Record<string, number>>,
    /** Whether recorded changes are applied. */
    readonly recordedChanges: boolean,
  ) {
    this.#preset = preset;
    this.#parameters = parameters;
    this.#fixed = fixed;
  }

  get preset(): string {
    return this.#preset;
  }

  /** What a flow begins with that appears now. */
  start(flow: number): ControllerOptions {
    return { preset: this.#preset, parameters: { ...this.#parameters, ...this.#fixed }, flow };
  }

  /** Changes to a preset: later flows begin with it, `halves` change now. */
  changePreset(preset: string, halves: readonly Half[]): void {
    this.#preset = preset;
    const kept = Object.entries(this.#parameters).filter(([name]) => KEPT_BY_PRESETS.includes(name));
    this.#parameters = Object.fromEntries(kept);
    for (const half of halves) {
      half.setPreset(preset);
      for (const [name, value] of Object.entries(this.#fixed)) half.setParameter(name, value);
    }
  }

  /** Changes a parameter, unless the replay was told another value. */
  changeParameter({ name, value }: ParameterChange, halves: readonly Half[]): void {
    if (name in this.#fixed) return;
    this.#parameters[name] = value;
    for (const half of halves) half.setParameter(name, value);
  }
}

/** The plan at the start of a trace. Throws TraceError for what the header names wrongly. */
export function replayPlan(
  header: TraceHeader,
  options: {
    preset?: string | undefined;
    parameters?: Readonly<Record<string, number>> | undefined;
    file?: string | undefined;
  },
): ReplayPlan {
  const fixed = options.parameters ?? {};
  if (options.preset !== undefined) return new ReplayPlan(options.preset, {}, fixed, false);
  const place: Place = { line: 1, ...(options.file === undefined ? {} : { file: options.file }) };
  const preset = placed(place, '', () => checkPreset(header.preset ?? 'gcc'));
  const parameters = Object.entries(header.parameters ?? {}).map(
    ([name, value]) => [name, placed(place, 'parameters.', () => parameterValue(name, value))] as const,
  );
  return new ReplayPlan(preset, Object.fromEntries(parameters), fixed, true);
}

const presetDetail = v.union([
  v.string(),
  v.pipe(
    v.object({ name: v.string() }),
    v.transform(({ name }) => name),
  ),
]);
const parameterDetail = v.object({ name: v.string(), value: v.union([v.number(), v.string()]) });

/** The preset that a recorded event changes to, or null. Throws TraceError for an unknown one. */
export function presetChange(event: TraceEvent, place: Place): string | null {
  if (event.name !== 'preset') return null;
  const detail = v.safeParse(presetDetail, event.detail);
  if (detail.success) return placed(place, 'detail.', () => checkPreset(detail.output));
  throw new TraceError({
    ...place,
    field: 'detail',
    expected: 'the name of a preset',
    got: shown(event.detail),
  });
}

/** The change of a parameter that an event records, or null. Throws TraceError for a wrong one. */
export function parameterChange(event: TraceEvent, place: Place): ParameterChange | null {
  if (event.name !== 'parameter') return null;
  const detail = v.safeParse(parameterDetail, event.detail);
  if (!detail.success) {
    const expected = '{"name":…,"value":…} of a parameter';
    throw new TraceError({ ...place, field: 'detail', expected, got: shown(event.detail) });
  }
  const { name, value } = detail.output;
  return { name, value: placed(place, 'detail.', () => parameterValue(name, value)) };
}

/** Gives a refused value its place in the trace. */
function placed<T>(place: Place, prefix: string, check: () => T): T {
  try {
    return check();
  } catch (error) {
    if (!(error instanceof ParameterProblem)) throw error;
    const { field, expected, got } = error;
    throw new TraceError({ ...place, field: `${prefix}${field}`, expected, got });
  }
}
