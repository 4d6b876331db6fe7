/** The header of a simulation's trace: its first line, which describes the simulation. */
import { controllerSetup } from '../core/controller_setup.js';
import { CONTROLLER_NAMES, defaultPreset } from '../core/schema.js';
import { boundsOf } from './chosen_controller.js';
import { instantiate, type CellParams } from './cells.js';
import { compile } from './compile.js';
import type { Scenario } from './scenario.js';

/** A flow of a trace. */
export interface TracedFlow {
  /** The flow's number in the rows of the trace. */
  flow: number;
  name: string;
  kind: 'media' | 'tcp';
  /** Present if the flow's data take the backward path. */
  direction?: 'backward';
  /** The initial configuration of a media flow's controller. A replay uses this configuration. */
  controller?: string;
  preset?: string;
  parameters?: Readonly<Record<string, number>>;
}

/** The fields of the header in trace format v1, except version and date. */
export interface SimulationHeader {
  source: 'simulator';
  clock: 'simulator';
  scenario: string;
  cell: CellParams;
  seed: number;
  /** The controller, preset and parameters of the first media flow, if there is one. */
  controller?: string;
  preset?: string;
  parameters?: Readonly<Record<string, number>>;
  flows: readonly TracedFlow[];
}

/**
 * The header for a run of a cell. `replaced` contains the flows whose controllers were replaced: it maps the number
 * of a flow to the name of the new controller. Throws ConfigError.
 */
export function traceHeader(
  scenario: Scenario,
  cell: CellParams,
  seed: number,
  replaced: ReadonlyMap<number, string> = new Map(),
): SimulationHeader {
  const flows = compile(instantiate(scenario, cell), seed).flows.map((options, flow): TracedFlow => {
    const { kind, name = `${kind} ${flow}` } = options;
    const traced = {
      flow,
      name,
      kind,
      ...(options.direction === 'backward' && { direction: 'backward' as const }),
    };
    if (options.kind === 'tcp') return traced;
    const { parameters = {} } = options;
    const controller = replaced.get(flow);
    if (controller !== undefined)
      return { ...traced, ...presetOf(controller), parameters: boundsOf(parameters) };
    const { name: own, preset } = controllerSetup(options, 'simulation');
    return { ...traced, controller: own, ...(preset !== undefined && { preset }), parameters };
  });
  const media = flows.find(({ kind }) => kind === 'media');
  const first = media && controllerOf(media);
  return { source: 'simulator', clock: 'simulator', scenario: scenario.id, cell, seed, ...first, flows };
}

/** The default preset of a controller. A user's controller has no preset. */
function presetOf(controller: string): Pick<TracedFlow, 'controller' | 'preset'> {
  const known = CONTROLLER_NAMES.find((name) => name === controller);
  return { controller, ...(known !== undefined && { preset: defaultPreset(known, 'simulation') }) };
}

/** The fields of the first media flow that are repeated at the top level of the header. */
const controllerOf = ({
  controller,
  preset,
  parameters,
}: TracedFlow): Pick<SimulationHeader, 'controller' | 'preset' | 'parameters'> => ({
  ...(controller !== undefined && { controller }),
  ...(preset !== undefined && { preset }),
  ...(parameters !== undefined && { parameters }),
});
