/** What the two halves of a controller share: parameters and the trace. */
import { CoreError, type CoreModule } from './load.js';
import { drainRecorder, type TraceBatch } from './recorder.js';
import { SCHEMA } from './schema.js';

/** Something that happened, beside the tables. */
export interface TraceEvent {
  time_us: number;
  name: string;
  detail: unknown;
}

/** Which controller to make, and how. */
export interface ControllerOptions {
  controller?: 'gcc';
  /** A preset of the schema; `gcc-live` when left out. */
  preset?: string;
  /** Parameters that differ from the preset, by name. */
  parameters?: Readonly<Record<string, number>>;
  /** Number of the flow in the trace's rows. */
  flow?: number;
}

export const DEFAULT_PRESET = 'gcc-live';
const GCC = 0;

/** The number of a preset in the core. Throws CoreError. */
export function presetIndex(name: string): number {
  const index = SCHEMA.presets.findIndex((preset) => preset.name === name);
  if (index < 0) {
    const known = SCHEMA.presets.map((preset) => preset.name).join(', ');
    throw new CoreError(`preset: expected one of ${known}; got ${name}`, 'preset');
  }
  return index;
}

function parameterIndex(name: string): number {
  const index = SCHEMA.parameters.findIndex((parameter) => parameter.name === name);
  if (index < 0)
    throw new CoreError(`${name}: not a parameter of gcc; \`SCHEMA.parameters\` lists them`, name);
  return index;
}

export class Session {
  protected readonly core: CoreModule;
  #handle: number;

  protected constructor(
    core: CoreModule,
    create: 'ccs_receiver_create' | 'ccs_sender_create',
    options: ControllerOptions,
  ) {
    this.core = core;
    this.#handle = core.handle(create, GCC, presetIndex(options.preset ?? DEFAULT_PRESET), options.flow ?? 0);
    for (const [name, value] of Object.entries(options.parameters ?? {})) this.setParameter(name, value);
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
    return this.core.call('ccs_session_parameter', this.handle, parameterIndex(name));
  }

  /** Changes a parameter, also in the middle of a call. Throws CoreError that names it and its range. */
  setParameter(name: string, value: number): void {
    const index = parameterIndex(name);
    const spec = SCHEMA.parameters[index];
    if (spec !== undefined && !(value >= spec.min && value <= spec.max)) {
      const unit = spec.unit === '' ? '' : ` ${spec.unit}`;
      throw new CoreError(`${name}: expected ${spec.min} to ${spec.max}${unit}, got ${value}`, name);
    }
    this.core.check('ccs_session_set_parameter', this.handle, index, value);
  }

  /** Changes to another preset, but for the application's own bounds. Throws CoreError. */
  setPreset(name: string): void {
    this.core.check('ccs_session_apply_preset', this.handle, GCC, presetIndex(name));
  }

  /**
   * The rows since the last call, and forgets them. Inputs come first, as runs in the order in which
   * they were consumed (replaying them in that order gives the same outputs), then the outputs.
   */
  drain(): TraceBatch[] {
    return drainRecorder(this.core, this.core.call('ccs_session_recorder', this.handle));
  }

  /** Frees the core's side. */
  destroy(): void {
    if (this.#handle === 0) return;
    this.core.call('ccs_session_destroy', this.#handle);
    this.#handle = 0;
  }
}
