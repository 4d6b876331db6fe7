/** Replaces the controllers of a simulation's media flows with another controller. */
import type { ControllerName } from '../core/schema.js';
import type { FlowOptions, SimulationOptions } from '../core/simulation.js';
import type { ControllerFault, UserController } from '../core/user_controller.js';
import type { Simulator } from './run_cell.js';

/** The parameters that every controller has: the bounds that the application sets. */
const BOUNDS: readonly string[] = ['min_bitrate_bps', 'max_bitrate_bps', 'start_bitrate_bps'];

/** Keeps only the parameters that every controller has. */
export function boundsOf<T>(parameters: Readonly<Record<string, T>> = {}): Record<string, T> {
  return Object.fromEntries(Object.entries(parameters).filter(([name]) => BOUNDS.includes(name)));
}

/**
 * Replaces the controller of all media flows or, if `only` is given, of the media flows with these numbers.
 * The new controller has its default preset and keeps the bitrate bounds of the flow.
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
 * A simulator that gives this controller to all media flows or, if `only` is given, to the media flows with these
 * numbers. It also keeps the controller's faults.
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

  /** The faults that the controller has had so far in the latest simulation. */
  get faults(): readonly ControllerFault[] {
    return this.#faults;
  }
}
