/** The WebAssembly core with typed bindings: controllers, links, simulations, and their schema. */
import { ReceiverHalf, SenderHalf } from './controller.js';
import { createLink, type Link, type LinkOptions } from './link.js';
import {
  loadCoreModule,
  startScriptedModule,
  type CoreModule,
  type ScriptedCore,
  type WasmSource,
} from './load.js';
import type { ControllerOptions } from './session.js';
import { Simulation, type SimulationOptions } from './simulation.js';

export {
  compileCore,
  CoreError,
  CoreFailure,
  CoreModule,
  loadCoreModule,
  type ScriptedCore,
  type WasmSource,
} from './load.js';
export * from './schema.js';
export { componentValues, type ComponentOptions } from './component.js';
export { expectedValue, parameterNumber } from './parameter_value.js';
export * from './feedback.js';
export type { ControllerOptions, TraceEvent } from './session.js';
export { controllerSetup, type ControllerChoice, type ControllerSetup } from './controller_setup.js';
export type { TraceBatch } from './recorder.js';
export {
  ReceiverHalf,
  SenderHalf,
  type ArrivalInput,
  type InboundInput,
  type RateUpdate,
} from './controller.js';
export type { Density, DensityOptions } from './density.js';
export * from './link.js';
export { wasmController, type WasmControllerOptions } from './wasm_controller.js';
export type {
  Arrival,
  ControllerFault,
  FeedbackValues,
  HalfOptions,
  InboundCounters,
  UserController,
  UserRate,
  UserReceiverHalf,
  UserSenderHalf,
} from './user_controller.js';
export * from './simulation.js';

/** A loaded core, which creates controllers, links and simulations. */
export class Core {
  constructor(readonly module: CoreModule) {}

  /** Throws CoreError for an unknown preset or parameter, and for a value out of range. */
  createReceiver(options: ControllerOptions = {}): ReceiverHalf {
    return new ReceiverHalf(this.module, options);
  }

  /** Throws CoreError for an unknown preset or parameter, and for a value or a seed out of range. */
  createSender(options: ControllerOptions = {}): SenderHalf {
    return new SenderHalf(this.module, options);
  }

  /** Throws a CoreError that names the option. */
  createLink(options: LinkOptions): Link {
    return createLink(this.module, options);
  }

  /** Throws a CoreError that names the option. */
  createSimulation(options: SimulationOptions): Simulation {
    return new Simulation(this.module, options);
  }
}

/** Loads the core. `source` replaces the module next to this file. */
export async function loadCore(source?: WasmSource): Promise<Core> {
  return new Core(await loadCoreModule(source));
}

/**
 * Starts the JavaScript build of the core, for pages whose policy forbids WebAssembly. This build contains only
 * the controllers: creating a link or a simulation throws CoreError.
 */
export const startScriptedCore = (script: ScriptedCore): Core => new Core(startScriptedModule(script));
