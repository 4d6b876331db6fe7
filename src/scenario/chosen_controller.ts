/** Replaces the controllers of a simulation's media flows with another controller. */
import type { ControllerName } from '../core/schema.js';
import type { FlowOptions, SimulationOptions } from '../core/simulation.js';
import type { ControllerFault, UserController } from '../core/user_controller.js';
import type { Simulator } from './run_cell.js';

/** The parameters that all controllers have: the bitrate bounds that the application sets. */
const BOUNDS: readonly string[] = ['min_bitrate_bps', 'max_bitrate_bps', 'start_bitrate_bps'];

/** Keeps only the parameters that every controller has. */
export function boundsOf<T>(parameters: Readonly<Record<string, T>> = {}): Record<string, T> {
  return Object.fromEntries(Object.entries(parameters).filter(([name]) => BOUNDS.includes(name)));
}

/**
 * Replaces the controller of the media flows. If `only` is given, replaces it only for the flows with these
 * numbers. The new controller has its default preset and keeps the bitrate bounds of the flow.
 */
export function withController(
  flows: readonly FlowOptions[],
  controller: ControllerName | UserController,
  only?: ReadonlySet<number>,
): FlowOptions[] {
  return flows.map((flow, number) => {
    if (flow.kind === 'tcp' || only?.has(number) === false) return flow;
    const { preset: _, parameters, ...others } = flow;
    return { ...others, controller, parameters: boundsOf(parameters) };
  });
}

/**
 * A simulator that replaces the controller of the media flows, as `withController` does, and reports the faults
 * of the new controller.
 */
export class ControllerSimulator implements Simulator {
  readonly #simulator: Simulator;
  readonly #controller: ControllerName | UserController;
  readonly #only: ReadonlySet<number> | undefined;
  #faults: readonly ControllerFault[] = [];

  constructor(simulator: Simulator, controller: ControllerName | UserController, only?: ReadonlySet<number>) {
    this.#simulator = simulator;
    this.#controller = controller;
    this.#only = only;
  }

  createSimulation(options: SimulationOptions): ReturnType<Simulator['createSimulation']> {
    const flows = withController(options.flows, this.#controller, this.#only);
    const simulation = this.#simulator.createSimulation({ ...options, flows });
    this.#faults = simulation.faults();
    return simulation;
  }

  /** The faults of the controller in the latest simulation so far. */
  get faults(): readonly ControllerFault[] {
    return this.#faults;
  }
}
