/** Replaces the controllers of a simulation's media flows with another controller. */
import { controllerOfPreset, type ControllerName } from '../core/schema.js';
import type { FlowOptions, SimulationOptions } from '../core/simulation.js';
import type { ControllerFault, UserController } from '../core/user_controller.js';
import { flowGroups } from './compile.js';
import type { Simulator } from './run_cell.js';
import type { Scenario } from './scenario.js';

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
function withController(
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

/** A controller that replaces a flow's own controller. */
export interface AssignedController {
  controller: ControllerName | UserController;
  /** The name of the flow in the scenario. Default: all media flows to which no other controller is assigned. */
  flow?: string;
}

/** A flow that its author made for their own controller. */
export interface AuthorsFlow {
  flow: string;
  /** The name of the controller's file. */
  file: string;
  /** The controller that runs if the file is not given. */
  instead: ControllerName;
}

export const authorsFlows = ({ flows }: Pick<Scenario, 'flows'>): readonly AuthorsFlow[] =>
  flows.flatMap((flow) => {
    if (flow.kind !== 'media' || flow.own_controller === undefined) return [];
    const { name, controller, preset = '', own_controller: file } = flow;
    return [{ flow: name, file, instead: controller ?? controllerOfPreset(preset) ?? 'gcc' }];
  });

/**
 * For each media flow that gets a controller: maps the number of the flow to the index of this controller in
 * `assigned`.
 */
export function assignedFlows(
  instance: Scenario,
  assigned: readonly Pick<AssignedController, 'flow'>[],
): ReadonlyMap<number, number> {
  const rest = assigned.findIndex(({ flow }) => flow === undefined);
  return new Map(
    flowGroups(instance).flatMap(({ name, kind, flows }): [number, number][] => {
      const named = assigned.findIndex(({ flow }) => flow === name);
      const index = named >= 0 ? named : rest;
      return kind === 'tcp' || index < 0 ? [] : flows.map((flow) => [flow, index]);
    }),
  );
}

/** A controller that replaces the controllers of media flows. */
export interface PlacedController {
  controller: ControllerName | UserController;
  /** The numbers of the flows. Default: all media flows. */
  only?: ReadonlySet<number> | undefined;
}

/** The assigned controllers with the numbers of their flows in this cell. */
export function placedIn(instance: Scenario, assigned: readonly AssignedController[]): PlacedController[] {
  const numbers = [...assignedFlows(instance, assigned)];
  return assigned.map(({ controller }, index) => ({
    controller,
    only: new Set(numbers.flatMap(([flow, of]) => (of === index ? [flow] : []))),
  }));
}

/**
 * A simulator that gives media flows other controllers, and reports the faults of these controllers. The new
 * controllers have their default presets, and the bitrate bounds of their flows.
 */
export class ControllerSimulator implements Simulator {
  #faults: readonly ControllerFault[] = [];

  constructor(
    private readonly simulator: Simulator,
    private readonly placed: readonly PlacedController[],
  ) {}

  createSimulation(options: SimulationOptions): ReturnType<Simulator['createSimulation']> {
    const flows = this.placed.reduce<FlowOptions[]>(
      (before, { controller, only }) => withController(before, controller, only),
      [...options.flows],
    );
    const simulation = this.simulator.createSimulation({ ...options, flows });
    this.#faults = simulation.faults();
    return simulation;
  }

  /** The faults that the new controllers have had so far in the latest simulation. */
  get faults(): readonly ControllerFault[] {
    return this.#faults;
  }
}
