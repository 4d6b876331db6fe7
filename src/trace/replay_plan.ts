import * as v from 'valibot';

import {
  CONTROLLER_NAMES,
  controllerOfPreset,
  defaultPreset,
  COMPONENT_SPECS,
  CONTROLLER_SPECS,
  type ControllerName,
  type ControllerOptions,
  type ReceiverHalf,
  type SenderHalf,
  type TraceEvent,
  type UserController,
} from '../core/index.js';
import { shown, TraceError } from './errors.js';
import type { TraceHeader } from './header.js';
import { checkedValue, checkPreset, ParameterProblem, presetParameterValue } from './parameters.js';
import { recordedFlows } from './recorded_flows.js';

/** A place in a trace. */
export interface Place {
  file?: string;
  line: number;
}

interface ParameterChange {
  name: string;
  value: number;
}

type RecordedStart = Pick<TraceHeader, 'controller' | 'preset' | 'parameters'> &
  Partial<Pick<TraceHeader, 'source'>>;

/** Parameter values given by a user: a number, a number as text, or one of the parameter's named values. */
export type GivenParameters = Readonly<Record<string, number | string>>;

type Half = Pick<ReceiverHalf | SenderHalf, 'setPreset' | 'setParameter'>;

/** The application sets these bitrates, so a new preset does not change them. */
const KEPT_BY_PRESETS: readonly string[] = ['min_bitrate_bps', 'max_bitrate_bps', 'start_bitrate_bps'];

/** The preset and the parameters of a replay. With `recordedChanges`, the changes in the trace also apply. */
export class ReplayPlan {
  #flows: ReadonlyMap<number, { preset: string; parameters: Record<string, number> }> = new Map();
  #preset: string;
  #parameters: Record<string, number>;
  /** What recorded the trace, as its header says. */
  #source: TraceHeader['source'];
  readonly #fixed: GivenParameters;
  readonly #user: UserController | undefined;

  constructor(
    preset: string,
    parameters: Record<string, number>,
    fixed: GivenParameters,
    /** Whether to apply the changes in the trace. */
    readonly recordedChanges: boolean,
    /** A user's controller, which has no presets. */
    user?: UserController,
  ) {
    this.#user = user;
    this.#preset = preset;
    this.#parameters = parameters;
    this.#fixed = fixed;
  }

  get preset(): string {
    return this.#preset;
  }

  /**
   * Stores the recorded initial configuration of each flow, and the source, on which the default presets of later calls
   * depend. Throws TraceError for unknown presets and parameters.
   */
  setFlows(header: TraceHeader, place: Place): void {
    this.#source = header.source;
    const started = recordedFlows(header).filter(({ preset }) => preset !== undefined);
    this.#flows = new Map(
      started.map((flow) => [flow.flow, checkedStart(flow, place, `flows.${flow.flow}.`)]),
    );
  }

  /**
   * Takes the bitrate bounds of a recorded call, and of each of its flows, for a controller or a preset that the user
   * chose. They replace those of an earlier call.
   */
  setBounds(header: Partial<TraceHeader>): void {
    this.#parameters = recordedBounds(header.parameters);
    this.#flows = new Map(
      recordedFlows(header).map(({ flow, parameters = header.parameters }) => [
        flow,
        { preset: this.#preset, parameters: recordedBounds(parameters) },
      ]),
    );
  }

  /** The configuration for a flow that starts now. */
  start(flow: number): ControllerOptions {
    const user = this.#user;
    if (user !== undefined) return { controller: user, parameters: this.#userParameters(flow), flow };
    const { preset = this.#preset, parameters = this.#parameters } = this.#flows.get(flow) ?? {};
    return { preset, parameters: { ...parameters, ...this.#fixedOf(preset) }, flow };
  }

  /**
   * The parameters that the user gave for the replay, as numbers. Omits those that the controller of `preset`
   * does not have.
   */
  #fixedOf(preset: string): Record<string, number> {
    const known = CONTROLLER_SPECS[controllerOfPreset(preset) ?? 'gcc'].parameters;
    const own = Object.entries(this.#fixed).filter(([name]) => known.some((each) => each.name === name));
    return Object.fromEntries(own.map(([name, value]) => [name, presetParameterValue(preset, name, value)]));
  }

  #userParameters(flow: number): Record<string, number> {
    const fixed = Object.entries(this.#fixed).map(([name, value]) => [name, Number(value)] as const);
    const { parameters = this.#parameters } = this.#flows.get(flow) ?? {};
    return { ...parameters, ...Object.fromEntries(fixed) };
  }

  /**
   * Checks the parameters that the user gave for the replay. Throws ParameterProblem for a parameter that no
   * replayed controller has, and for an invalid value.
   */
  checkFixed(): void {
    if (this.#user !== undefined) {
      checkUserParameters(this.#user.name, this.#fixed);
      return;
    }
    const presets = [this.#preset, ...[...this.#flows.values()].map(({ preset }) => preset)];
    const applied = presets.flatMap((preset) => Object.keys(this.#fixedOf(preset)));
    const strange = Object.keys(this.#fixed).find((name) => !applied.includes(name));
    if (strange === undefined) return;
    const controllers = new Set(presets.map((preset) => controllerOfPreset(preset)));
    const expected = `the name of a parameter of ${[...controllers].join(' or ')}`;
    throw new ParameterProblem(strange, expected, 'another name');
  }

  /**
   * Handles an event `start`, which records the beginning of a new call. Flows that begin later use the
   * configuration `start`. A controller or a preset that the user chose only gets its bitrate bounds. Throws TraceError.
   */
  restart(start: RecordedStart, place: Place): void {
    if (!this.recordedChanges) {
      this.setBounds(start);
      return;
    }
    const { preset, parameters } = checkedStart({ ...start, source: this.#source }, place, 'detail.');
    this.#preset = preset;
    this.#parameters = parameters;
    this.#flows = new Map();
  }

  /** Switches to another preset: the `halves` of the running flows at once, other flows when they start. */
  changePreset(preset: string, halves: readonly Half[]): void {
    this.#preset = preset;
    this.#flows = new Map();
    const kept = Object.entries(this.#parameters).filter(([name]) => KEPT_BY_PRESETS.includes(name));
    this.#parameters = Object.fromEntries(kept);
    for (const half of halves) {
      half.setPreset(preset);
      for (const [name, value] of Object.entries(this.#fixedOf(preset))) half.setParameter(name, value);
    }
  }

  /** Changes a parameter, unless the user gave a value for it. */
  changeParameter({ name, value }: ParameterChange, halves: readonly Half[]): void {
    if (name in this.#fixed) return;
    this.#parameters[name] = value;
    for (const half of halves) half.setParameter(name, value);
  }
}

/**
 * The plan at the start of a trace. Throws TraceError for an unknown preset or an invalid parameter in the
 * header, and ParameterProblem for an invalid parameter in the options.
 */
export function replayPlan(
  header: TraceHeader,
  options: {
    preset?: string | undefined;
    controller?: ControllerName | UserController | undefined;
    parameters?: GivenParameters | undefined;
    file?: string | undefined;
  },
): ReplayPlan {
  const plan = planOf(header, options);
  plan.checkFixed();
  return plan;
}

/**
 * Throws ParameterProblem for a parameter that users' controllers do not have, or for a value that is out of
 * range.
 */
function checkUserParameters(controller: string, parameters: GivenParameters): void {
  const specs = COMPONENT_SPECS.user_controller.parameters;
  for (const [name, value] of Object.entries(parameters)) {
    const spec = specs.find((each) => each.name === name);
    if (spec === undefined) {
      const known = specs.map((each) => each.name).join(', ');
      throw new ParameterProblem(name, `a parameter of ${controller} (${known})`, 'another name');
    }
    checkedValue(spec, value);
  }
}

/** The recorded bitrate bounds of a trace or of a flow: the lowest, the highest and the first target rate. */
function recordedBounds(parameters: TraceHeader['parameters'] = {}): Record<string, number> {
  const names = COMPONENT_SPECS.user_controller.parameters.map(({ name }) => name);
  const recorded = Object.entries(parameters);
  return Object.fromEntries(
    recorded.flatMap(([name, value]) =>
      names.includes(name) && typeof value === 'number' ? [[name, value]] : [],
    ),
  );
}

/**
 * The plan for a requested preset or controller, with the recorded bitrate bounds: the application of the call set
 * them. A built-in controller uses its default preset: for a trace of a simulation the one for simulations, otherwise
 * the one for live calls.
 */
function chosenPlan(
  choice: string | UserController,
  header: TraceHeader,
  fixed: GivenParameters,
): ReplayPlan {
  const plan =
    typeof choice === 'object'
      ? new ReplayPlan('', {}, fixed, false, choice)
      : new ReplayPlan(choice, {}, fixed, false);
  plan.setBounds(header);
  return plan;
}

function planOf(header: TraceHeader, options: Parameters<typeof replayPlan>[1]): ReplayPlan {
  const fixed = options.parameters ?? {};
  const { controller } = options;
  const use = header.source === 'simulator' ? 'simulation' : 'live';
  const choice =
    options.preset ?? (typeof controller === 'string' ? defaultPreset(controller, use) : controller);
  if (choice !== undefined) return chosenPlan(choice, header, fixed);
  const place: Place = { line: 1, ...(options.file === undefined ? {} : { file: options.file }) };
  const { preset, parameters } = checkedStart(header, place, '');
  const plan = new ReplayPlan(preset, parameters, fixed, true);
  plan.setFlows(header, place);
  return plan;
}

function checkedStart(
  start: RecordedStart,
  place: Place,
  prefix: string,
): { preset: string; parameters: Record<string, number> } {
  const preset = placed(place, prefix, () => checkPreset(start.preset ?? recordedDefault(start)));
  const checked = Object.entries(start.parameters ?? {}).map(
    ([name, value]) =>
      [name, placed(place, `${prefix}parameters.`, () => presetParameterValue(preset, name, value))] as const,
  );
  return { preset, parameters: Object.fromEntries(checked) };
}

/**
 * The preset for a trace that records none, such as that of a call with a user's controller: the controller's default
 * preset for live calls or, for a trace of a simulation or without a source, for simulations. GCC replaces a controller
 * that the core does not have.
 */
function recordedDefault({ controller, source }: RecordedStart): string {
  const known = CONTROLLER_NAMES.find((name) => name === controller);
  const isLive = source !== undefined && source !== 'simulator';
  return defaultPreset(known ?? 'gcc', isLive ? 'live' : 'simulation');
}

const startParameters = v.optional(v.record(v.string(), v.union([v.number(), v.string()])), {});

/**
 * A user's controller has a name but no preset. Its event is recognised by the `settings` of the call, which an event
 * of the same name from another program does not have.
 */
const startDetail = v.union([
  v.object({ preset: v.string(), parameters: startParameters }),
  v.object({
    controller: v.pipe(
      v.string(),
      v.check((name) => !CONTROLLER_NAMES.some((known) => known === name)),
    ),
    settings: v.looseObject({}),
    parameters: startParameters,
  }),
]);

/**
 * The configuration in a recorded `start` event. Null for other events, or if the event contains no valid
 * one.
 */
export function controllerStart(event: TraceEvent): RecordedStart | null {
  const detail = event.name === 'start' ? v.safeParse(startDetail, event.detail) : null;
  return detail?.success === true ? detail.output : null;
}

const presetDetail = v.union([
  v.string(),
  v.pipe(
    v.object({ name: v.string() }),
    v.transform(({ name }) => name),
  ),
]);
const parameterDetail = v.object({ name: v.string(), value: v.union([v.number(), v.string()]) });

/** The preset in a recorded `preset` event; null for any other event. Throws TraceError for an unknown preset. */
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

/**
 * The change in a recorded `parameter` event; null for any other event. Throws TraceError if the change is
 * invalid or the controller of `preset` does not have this parameter.
 */
export function parameterChange(event: TraceEvent, preset: string, place: Place): ParameterChange | null {
  if (event.name !== 'parameter') return null;
  const detail = v.safeParse(parameterDetail, event.detail);
  if (!detail.success) {
    const expected = 'a parameter as {"name":…,"value":…}';
    throw new TraceError({ ...place, field: 'detail', expected, got: shown(event.detail) });
  }
  const { name, value } = detail.output;
  return { name, value: placed(place, 'detail.', () => presetParameterValue(preset, name, value)) };
}

/** Runs a check, and adds the place in the trace to the check's error. */
function placed<T>(place: Place, prefix: string, check: () => T): T {
  try {
    return check();
  } catch (error) {
    if (!(error instanceof ParameterProblem)) throw error;
    const { field, expected, got } = error;
    throw new TraceError({ ...place, field: `${prefix}${field}`, expected, got });
  }
}
