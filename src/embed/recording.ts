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
  lastInCharge,
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
  if (wanted !== '' && !recorded.some((flow) => nameOf(flow) === wanted)) {
    const names = recorded.map(nameOf).join(', ');
    if (names === '') {
      const none = 'no value, since the recording names no flows';
      throw new ConfigError('flow', none, shown(wanted), 'remove the attribute');
    }
    const expected = `one of ${cut(names, 200)}`;
    throw new ConfigError('flow', expected, shown(wanted), 'correct the name, or remove the attribute');
  }
  const { fromUs, toUs, rows } = extent;
  const isSimulation = (rows['throughput'] ?? 0) > 0 && recorded.some(({ kind }) => kind === 'media');
  return {
    title: file,
    durationUs: (toUs ?? 0) - (fromUs ?? 0),
    names: recorded.map(nameOf),
    drawn: isSimulation
      ? { kind: 'run', flows: recorded.map(flowOfSimulation) }
      : callOf(header, extent, events, wanted),
  };
}

function flowOfSimulation(recorded: RecordedFlow): FlowInfo {
  const { flow, kind, preset } = recorded;
  const own = CONTROLLER_NAMES.find((name) => name === recorded.controller);
  const controller = own ?? (preset === undefined ? undefined : controllerOfPreset(preset));
  return {
    flow,
    name: nameOf(recorded),
    kind: kind === 'tcp' ? 'tcp' : 'media',
    direction: recorded.direction === 'backward' ? 'backward' : 'forward',
    ...(controller !== undefined && { controller }),
    ...(preset !== undefined && { preset }),
  };
}

function callOf(
  header: TraceHeader,
  extent: TraceExtent,
  events: readonly TraceEvent[],
  wanted: string,
): RecordedCall {
  const own = ownFlows(header, extent.flows);
  const isOfMany = extent.flows.length > 1 || extent.links.length > 1 || shadowsOf(header).length > 0;
  const chosen = recordedFlows(header).find((flow) => nameOf(flow) === wanted)?.flow;
  const flow = isOfMany || own.length > 1 ? (chosen ?? firstFlow(header, own)) : NaN;
  return {
    kind: 'call',
    inCharge: controllerOfFile(header, flow, lastInCharge(events)),
    shadows: shadowsOf(header, flow),
    beside: besideOf(header),
    filters: filtersFor(flow, flow, extent.links.length > 1),
  };
}
