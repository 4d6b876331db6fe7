/** The base class of a controller's two halves (receiver and sender): parameters and the trace. */
import type { Abi } from './abi.generated.js';
import { numberOf, valuesOf } from './component.js';
import { controllerSetup, type ControllerChoice } from './controller_setup.js';
import { Handle } from './handle.js';
import { CoreError, type CoreModule } from './load.js';
import { drainRecorder, tableBits, type TraceBatch } from './recorder.js';
import type { ComponentSpec, TableName } from './schema.js';
import type { ControllerFault, UserController } from './user_controller.js';

/** An event in a trace, as opposed to a row of a table. */
export interface TraceEvent {
  time_us: number;
  name: string;
  detail: unknown;
}

/** The controller to create, and its settings. Default: GCC with the preset for calls, `gcc-live`. */
export interface ControllerOptions extends ControllerChoice {
  /** Number of the flow in the trace's rows. */
  flow?: number;
  /** For controllers that draw random numbers: an integer from 0 to 2^53 - 1; default 1. */
  seed?: number;
  /** Tables that are recorded; default: all. */
  record?: readonly TableName[];
}

/** The application's bounds. A change of the preset keeps their values. */
const KEPT_BY_PRESETS = ['min_bitrate_bps', 'max_bitrate_bps', 'start_bitrate_bps'] as const;

/**
 * Creates a half from the values in the input buffer. Returns the pointer to the half, or 0 if a value is refused.
 */
type Create = (abi: Abi, half: { index: number; flow: number; seed: number }) => number;

export class Session {
  /**
   * The half in the core.
   *
   * @internal
   */
  protected readonly half: Handle;
  /** The name of the controller that this half belongs to. */
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

  /** Writes `values` to the session's buffer, for the next push. */
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
        : `it has ${parameters.map((each) => each.name).join(', ')}`;
    throw new CoreError(`${name}: not a parameter of ${this.controller}; ${known}`, name);
  }

  /** Changes a parameter, also in the middle of a call. Throws CoreError that contains its name and its range. */
  setParameter(name: string, value: number): void {
    const index = this.#indexOf(name);
    const spec = this.#spec.parameters[index];
    if (spec !== undefined) numberOf(spec, value, name);
    this.half.core.check(this.half.abi.ccs_session_set_parameter(this.half.pointer, index, value));
  }

  /**
   * Changes to another preset of the same controller. The application's bounds keep their values. Throws CoreError.
   */
  setPreset(preset: string): void {
    const parameters = Object.fromEntries(KEPT_BY_PRESETS.map((name) => [name, this.parameter(name)]));
    const spec = { preset, parameters, presetPath: 'preset', path: '' };
    this.half.core.input(valuesOf(this.controller, this.#spec, spec));
    this.half.core.check(this.half.abi.ccs_session_configure(this.half.pointer));
  }

  /**
   * Takes the rows that were recorded since the last call, in batches of consecutive rows of one table. The batches
   * of input tables come first, in the order in which their rows were consumed; if they are replayed in this order,
   * the outputs are the same. The batches of output tables follow.
   */
  drain(): TraceBatch[] {
    return drainRecorder(this.half.core, this.half.abi.ccs_session_recorder(this.half.pointer));
  }

  /**
   * The faults of this half if it belongs to a user's controller; also available after `destroy`. After a fault, a
   * receiver half sends no more feedback, and a sender half keeps its last good rate.
   */
  faults(): readonly ControllerFault[] {
    return this.#faults;
  }

  /**
   * Frees the half in the core; further calls do nothing. All other methods except `faults` throw CoreError from
   * then on.
   */
  destroy(): void {
    this.half.destroy();
  }
}
