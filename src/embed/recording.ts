/**
 * Describes a recording for drawing: the flows of a simulation, or one flow of a call with the controllers that
 * watched the call.
 */
import { cut, ConfigError, shown } from '../text/quantities.js';
import type { Filters } from '../boards/filters.js';
import {
  besideOf,
  controllerOfFile,
  filtersFor,
  firstFlow,
  headerOfLastCall,
  ownFlows,
  shadowsOf,
  type DrawnController,
} from '../boards/recorded_controllers.js';
import type { TraceEvent } from '../core/index.js';
import { controllerOfPreset, CONTROLLER_NAMES } from '../core/schema.js';
import type { FlowInfo } from '../runs/run.js';
import { recordedFlows, type RecordedFlow } from '../trace/recorded_flows.js';
import type { TraceExtent, TraceHeader } from '../trace/index.js';

/** The recording of a simulation. */
interface RecordedRun {
  kind: 'run';
  flows: readonly FlowInfo[];
}

/** The recording of a call: the flow and the controllers that are drawn. */
export interface RecordedCall {
  kind: 'call';
  inCharge: DrawnController;
  shadows: readonly DrawnController[];
  beside: readonly { flow: number; name: string }[];
  filters: Filters;
}

export interface Recording {
  /** The name of its file. */
  title: string;
  durationUs: number;
  /** The names of its flows. */
  names: readonly string[];
  drawn: RecordedRun | RecordedCall;
}

/**
 * Throws ConfigError if the attribute `flow` names none of the flows. `kind` says which flows they are, and `none` why
 * there are none.
 */
export function checkFlow(wanted: string, names: readonly string[], kind: string, none: string): void {
  if (wanted === '' || names.includes(wanted)) return;
  const expected = names.length > 0 ? `${kind} ${cut(names.join(', '), 200)}` : `no value, since ${none}`;
  throw new ConfigError('flow', expected, shown(wanted), 'correct the name, or remove the attribute');
}

const nameOf = ({ flow, name }: RecordedFlow): string => name ?? `flow ${flow}`;

/**
 * Describes a recording. If a call has several flows, the flow called `wanted` is drawn. If `wanted` is
 * empty, the first flow with a controller is drawn or, without controllers, the first flow. Throws
 * ConfigError if no flow is called `wanted`.
 */
export function describedRecording(
  file: string,
  header: TraceHeader,
  extent: TraceExtent,
  events: readonly TraceEvent[],
  wanted: string,
): Recording {
  const recorded = recordedFlows(header);
  const names = recorded.map(nameOf);
  checkFlow(wanted, names, 'one of', 'the recording names no flows');
  const { fromUs, toUs, rows } = extent;
  const isSimulation = (rows['throughput'] ?? 0) > 0 && recorded.some(({ kind }) => kind === 'media');
  return {
    title: file,
    durationUs: (toUs ?? 0) - (fromUs ?? 0),
    names,
    drawn: isSimulation
      ? { kind: 'run', flows: recorded.map(flowOfSimulation) }
      : callOf(headerOfLastCall(header, events), extent, wanted),
  };
}

function flowOfSimulation(recorded: RecordedFlow): FlowInfo {
  const { flow, kind, preset } = recorded;
  const own = CONTROLLER_NAMES.find((name) => name === recorded.controller);
  const controller = own ?? controllerOfPreset(preset ?? '');
  return {
    flow,
    name: nameOf(recorded),
    kind: kind === 'tcp' ? 'tcp' : 'media',
    direction: recorded.direction === 'backward' ? 'backward' : 'forward',
    ...(controller !== undefined && { controller }),
    ...(preset !== undefined && { preset }),
  };
}

function callOf(header: Partial<TraceHeader>, extent: TraceExtent, wanted: string): RecordedCall {
  const own = ownFlows(header, extent.flows);
  const isOfMany = extent.flows.length > 1 || extent.links.length > 1 || shadowsOf(header).length > 0;
  const chosen = recordedFlows(header).find((flow) => nameOf(flow) === wanted)?.flow;
  const flow = isOfMany || own.length > 1 ? (chosen ?? firstFlow(header, own)) : NaN;
  return {
    kind: 'call',
    inCharge: controllerOfFile(header, flow),
    shadows: shadowsOf(header, flow),
    beside: besideOf(header),
    filters: filtersFor(flow, flow, extent.links.length > 1),
  };
}
