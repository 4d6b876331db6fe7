/** The base class of a controller's two halves (receiver and sender): parameters, recorded rows, and faults. */
import type { Abi } from './abi.generated.js';
import { numberOf, valuesOf } from './component.js';
import { controllerSetup, type ControllerChoice } from './controller_setup.js';
import { Handle } from './handle.js';
import { CoreError, type CoreModule } from './load.js';
import { drainRecorder, tableBits, type TraceBatch } from './recorder.js';
import type { ComponentSpec, TableName } from './schema.js';
import type { ControllerFault, UserController } from './user_controller.js';

/** An event in a trace. Unlike a row, it belongs to no table. */
export interface TraceEvent {
  time_us: number;
  name: string;
  detail: unknown;
}

/** The controller to create, and its settings. Default: GCC with its preset for live calls, `gcc-live`. */
export interface ControllerOptions extends ControllerChoice {
  /** The flow's number in the rows of the trace. Default 0. */
  flow?: number;
  /** The seed for controllers that use random numbers: an integer from 0 to 2^53 - 1. Default 1. */
  seed?: number;
  /** The tables to record. Default: all. */
  record?: readonly TableName[];
}

/** The application's bitrate bounds. A change of the preset keeps them. */
const KEPT_BY_PRESETS = ['min_bitrate_bps', 'max_bitrate_bps', 'start_bitrate_bps'] as const;

/**
 * Creates a half from the parameter values in the input buffer. Returns a pointer to the half, or 0 if a value is
 * refused.
 */
type Create = (abi: Abi, half: { index: number; flow: number; seed: number }) => number;

export class Session {
  /**
   * The half in the core.
   *
   * @internal
   */
  protected readonly half: Handle;
  /** The name of this half's controller. */
  readonly controller: string;
  readonly #spec: ComponentSpec;
  readonly #user: UserController | undefined;
  readonly #faults: ControllerFault[] = [];

  protected constructor(core: CoreModule, create: Create, options: ControllerOptions) {
    const { name, index, spec, values, user } = controllerSetup(options, 'live');
    this.controller = name;
    this.#spec = spec;
    this.#user = user;
    const seed = options.seed ?? 1;
    const make = (): number => {
      core.input(values);
      return core.found(create(core.abi, { index, flow: options.flow ?? 0, seed }));
    };
    const owner = user && { controller: user, seed, faults: this.#faults };
    const bits = options.record && tableBits(options.record, 'record');
    const pointer = owner === undefined ? make() : core.users.making(owner, make);
    this.half = new Handle(core, 'half of the controller', core.abi.ccs_session_destroy, pointer);
    if (bits !== undefined) this.half.abi.ccs_session_record(this.half.pointer, bits);
  }

  /** Writes `values` to the half's buffer, for the next push. */
  protected fill(values: readonly number[]): void {
    const pointer = this.half.abi.ccs_session_buffer(this.half.pointer, values.length);
    this.half.core.doubles(pointer, values.length).set(values);
  }

  protected read(length: number): Float64Array {
    const pointer = this.half.abi.ccs_session_buffer(this.half.pointer, length);
    return this.half.core.doubles(pointer, length);
  }

  /** The value of a parameter. Throws CoreError for an unknown name. */
  parameter(name: string): number {
    return this.half.abi.ccs_session_parameter(this.half.pointer, this.#indexOf(name));
  }

  #indexOf(name: string): number {
    const { parameters } = this.#spec;
    const index = parameters.findIndex((each) => each.name === name);
    if (index >= 0) return index;
    const known =
      this.#user === undefined
        ? `\`CONTROLLER_SPECS.${this.controller}\` lists them`
        : `its parameters are ${parameters.map((each) => each.name).join(', ')}`;
    throw new CoreError(`${name}: not a parameter of ${this.controller}; ${known}`, name);
  }

  /**
   * Changes a parameter, even during a call. Throws a CoreError that contains the parameter's name and range.
   */
  setParameter(name: string, value: number): void {
    const index = this.#indexOf(name);
    const spec = this.#spec.parameters[index];
    if (spec !== undefined) numberOf(spec, value, name);
    this.half.core.check(this.half.abi.ccs_session_set_parameter(this.half.pointer, index, value));
  }

  /**
   * Changes to another preset of the same controller, and keeps the application's bitrate bounds. Throws
   * CoreError.
   */
  setPreset(preset: string): void {
    const parameters = Object.fromEntries(KEPT_BY_PRESETS.map((name) => [name, this.parameter(name)]));
    const spec = { preset, parameters, presetPath: 'preset', path: '' };
    this.half.core.input(valuesOf(this.controller, this.#spec, spec));
    this.half.core.check(this.half.abi.ccs_session_configure(this.half.pointer));
  }

  /**
   * Removes and returns the rows since the last call, in batches of consecutive rows of one table. Batches of
   * input tables come first, in the order in which their rows were consumed: a replay in this order produces the
   * same output. Batches of output tables follow.
   */
  drain(): TraceBatch[] {
    return drainRecorder(this.half.core, this.half.abi.ccs_session_recorder(this.half.pointer));
  }

  /**
   * The faults of this half of a user's controller; also available after `destroy`. After a fault, a receiver
   * half sends no more feedback, and a sender half keeps its last good rate.
   */
  faults(): readonly ControllerFault[] {
    return this.#faults;
  }

  /**
   * Frees the half in the core. Calling `destroy` again does nothing; all other methods except `faults` then
   * throw CoreError.
   */
  destroy(): void {
    this.half.destroy();
  }
}
