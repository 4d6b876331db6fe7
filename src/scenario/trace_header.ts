/** What the first line of a simulation's trace says of it. */
import { controllerSetup } from '../core/controller_setup.js';
import { instantiate, type CellParams } from './cells.js';
import { compile } from './compile.js';
import type { Scenario } from './scenario.js';

/** A flow of a trace. */
export interface TracedFlow {
  /** Its number in the rows. */
  flow: number;
  name: string;
  kind: 'media' | 'tcp';
  /** What a media flow's controller began with; a replay does the same. */
  controller?: string;
  preset?: string;
  parameters?: Readonly<Record<string, number>>;
}

/** Fields of the header of trace format v1, but for version and date. */
export interface SimulationHeader {
  source: 'simulator';
  clock: 'simulator';
  scenario: string;
  cell: CellParams;
  seed: number;
  /** The first media flow's, where there is one. */
  controller?: string;
  preset?: string;
  parameters?: Readonly<Record<string, number>>;
  flows: readonly TracedFlow[];
}

/** The header for a run of a cell. Throws ConfigError. */
export function traceHeader(scenario: Scenario, cell: CellParams, seed: number): SimulationHeader {
  const flows = compile(instantiate(scenario, cell), seed).flows.map((options, flow): TracedFlow => {
    const { kind, name = `${kind} ${flow}` } = options;
    if (options.kind === 'tcp') return { flow, name, kind };
    const { name: controller, preset } = controllerSetup(options, 'simulation');
    const { parameters = {} } = options;
    return { flow, name, kind, controller, ...(preset !== undefined && { preset }), parameters };
  });
  const media = flows.find(({ kind }) => kind === 'media');
  const first = media && controllerOf(media);
  return { source: 'simulator', clock: 'simulator', scenario: scenario.id, cell, seed, ...first, flows };
}

/** What a trace of one flow says at its top. */
const controllerOf = ({
  controller,
  preset,
  parameters,
}: TracedFlow): Pick<SimulationHeader, 'controller' | 'preset' | 'parameters'> => ({
  ...(controller !== undefined && { controller }),
  ...(preset !== undefined && { preset }),
  ...(parameters !== undefined && { parameters }),
});
