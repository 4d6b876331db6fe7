/** What the two halves of a controller share: parameters and the trace. */
import { valuesOf } from './component.js';
import { controllerSetup, type ControllerChoice } from './controller_setup.js';
import { CoreError, type CoreModule } from './load.js';
import { drainRecorder, tableBits, type TraceBatch } from './recorder.js';
import type { ComponentSpec, TableName } from './schema.js';
import type { ControllerFault, UserController } from './user_controller.js';

/** Something that happened, beside the tables. */
export interface TraceEvent {
  time_us: number;
  name: string;
  detail: unknown;
}

/** Which controller to make, and how; `gcc-live`, the preset of calls, when all is left out. */
export interface ControllerOptions extends ControllerChoice {
  /** Number of the flow in the trace's rows. */
  flow?: number;
  /** For controllers that draw random numbers: an integer from 0 to 2^53 - 1; default 1. */
  seed?: number;
  /** Tables that are recorded; default: all. */
  record?: readonly TableName[];
}

/** What changes of preset leave alone: the application's own bounds. */
const KEPT_BY_PRESETS = ['min_bitrate_bps', 'max_bitrate_bps', 'start_bitrate_bps'] as const;

export class Session {
  protected readonly core: CoreModule;
  /** Which controller this is a half of. */
  readonly controller: string;
  readonly #spec: ComponentSpec;
  readonly #user: UserController | undefined;
  readonly #faults: ControllerFault[] = [];
  #handle: number;

  protected constructor(
    core: CoreModule,
    create: 'ccs_receiver_create' | 'ccs_sender_create',
    options: ControllerOptions,
  ) {
    this.core = core;
    const { name, index, spec, values, user } = controllerSetup(options, 'live');
    this.controller = name;
    this.#spec = spec;
    this.#user = user;
    const seed = options.seed ?? 1;
    const make = (): number => {
      core.input(values);
      return core.handle(create, index, options.flow ?? 0, ...(create === 'ccs_sender_create' ? [seed] : []));
    };
    const owner = user && { controller: user, seed, faults: this.#faults };
    this.#handle = owner === undefined ? make() : core.users.making(owner, make);
    if (options.record !== undefined)
      core.call('ccs_session_record', this.#handle, tableBits(options.record, 'record'));
  }

  /** Throws CoreError once the session has been destroyed. */
  protected get handle(): number {
    if (this.#handle === 0) throw new CoreError('this half of the controller has been destroyed');
    return this.#handle;
  }

  /** Writes `values` to the session's buffer, for the next push. */
  protected fill(values: readonly number[]): void {
    const pointer = this.core.call('ccs_session_buffer', this.handle, values.length);
    this.core.doubles(pointer, values.length).set(values);
  }

  protected read(length: number): Float64Array {
    const pointer = this.core.call('ccs_session_buffer', this.handle, length);
    return this.core.doubles(pointer, length);
  }

  /** The value of a parameter. Throws CoreError for an unknown name. */
  parameter(name: string): number {
    return this.core.call('ccs_session_parameter', this.handle, this.#indexOf(name));
  }

  #indexOf(name: string): number {
    const { parameters } = this.#spec;
    const index = parameters.findIndex((each) => each.name === name);
    if (index >= 0) return index;
    const known =
      this.#user === undefined
        ? `\`SCHEMA.controllers.${this.controller}\` lists them`
        : `it has ${parameters.map((each) => each.name).join(', ')}`;
    throw new CoreError(`${name}: not a parameter of ${this.controller}; ${known}`, name);
  }

  /** Changes a parameter, also in the middle of a call. Throws CoreError that names it and its range. */
  setParameter(name: string, value: number): void {
    const index = this.#indexOf(name);
    const spec = this.#spec.parameters[index];
    if (spec !== undefined && !(value >= spec.min && value <= spec.max)) {
      const unit = spec.unit === '' ? '' : ` ${spec.unit}`;
      throw new CoreError(`${name}: expected ${spec.min} to ${spec.max}${unit}, got ${value}`, name);
    }
    this.core.check('ccs_session_set_parameter', this.handle, index, value);
  }

  /** Changes to another preset of the same controller, but for the application's own bounds. Throws CoreError. */
  setPreset(preset: string): void {
    const parameters = Object.fromEntries(KEPT_BY_PRESETS.map((name) => [name, this.parameter(name)]));
    const spec = { preset, parameters, presetPath: 'preset', path: '' };
    this.core.input(valuesOf(this.controller, this.#spec, spec));
    this.core.check('ccs_session_configure', this.handle);
  }

  /**
   * The rows since the last call, and forgets them. Inputs come first, as runs in the order in which
   * they were consumed (replaying them in that order gives the same outputs), then the outputs.
   */
  drain(): TraceBatch[] {
    return drainRecorder(this.core, this.core.call('ccs_session_recorder', this.handle));
  }

  /** What this half did wrong, if it is a user's: from then on it is silent, or keeps the last good rate. */
  faults(): readonly ControllerFault[] {
    return this.#faults;
  }

  /** Frees the core's side. */
  destroy(): void {
    if (this.#handle === 0) return;
    this.core.call('ccs_session_destroy', this.#handle);
    this.#handle = 0;
  }
}
