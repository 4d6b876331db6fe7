/** The controllers of a recording (in charge or only watching), and the filters that select their rows. */
import { controllerOfPreset } from '../core/schema.js';
import type { TraceEvent } from '../core/index.js';
import type { TraceHeader } from '../trace/index.js';
import { recordedFlows, type RecordedFlow } from '../trace/recorded_flows.js';
import type { Filters } from './filters.js';

/** A controller whose rates are drawn. */
export interface DrawnController {
  flow: number;
  name: string;
  /** The name of a controller of the core; a name that the core does not have belongs to a user's controller. */
  controller: string;
}

const kindOf = ({ controller, preset }: Pick<RecordedFlow, 'controller' | 'preset'>): string =>
  controllerOfPreset(preset ?? '') ?? controller ?? 'gcc';

/**
 * The shadows (controllers that only watched). If a trace has several streams, returns only the shadows that watched
 * the stream `flow`.
 */
export function shadowsOf(header: Partial<TraceHeader>, flow = NaN): readonly DrawnController[] {
  return recordedFlows(header)
    .filter(({ kind, of }) => kind === 'shadow' && (of === undefined || Number.isNaN(flow) || of === flow))
    .map((flow) => ({ flow: flow.flow, name: flow.name ?? `flow ${flow.flow}`, controller: kindOf(flow) }));
}

/** TCP connections that shared the bottleneck; only their rates are known. */
export function besideOf(header: Partial<TraceHeader>): readonly { flow: number; name: string }[] {
  return recordedFlows(header)
    .filter(({ kind }) => kind === 'tcp')
    .map(({ flow, name = `flow ${flow}` }) => ({ flow, name }));
}

/**
 * The flows that the user can choose in a file: `controlled` without the shadows (controllers that only watched), and
 * the streams in the header. A stream without a controller has only rates.
 */
export function ownFlows(header: Partial<TraceHeader>, controlled: readonly number[]): readonly number[] {
  const watching = shadowsOf(header).map(({ flow }) => flow);
  const streams = recordedFlows(header).filter(({ kind }) => kind === 'received' || kind === 'sent');
  const all = new Set([...controlled, ...streams.map(({ flow }) => flow)]);
  return [...all].filter((flow) => !watching.includes(flow)).sort((a, b) => a - b);
}

/**
 * The flow that is shown first. A flow with a controller is preferred, since it has the most to show. Returns NaN if
 * the file has no flow.
 */
export function firstFlow(header: Partial<TraceHeader>, flows: readonly number[]): number {
  const controlled = recordedFlows(header).filter(
    ({ kind, controller }) => kind !== 'shadow' && controller !== undefined,
  );
  return flows.find((flow) => controlled.some((each) => each.flow === flow)) ?? flows[0] ?? NaN;
}

/**
 * The header of a recording, with the controller of its last call, which may differ from that of its first: an event
 * names the controller with which a call starts.
 */
export function headerOfLastCall(
  header: Partial<TraceHeader>,
  events: readonly TraceEvent[],
): Partial<TraceHeader> {
  const start = events.findLast(({ name }) => name === 'start');
  const [last] = recordedFlows({ flows: [{ flow: 0, ...(start?.detail as object) }] });
  return last?.controller === undefined ? header : { ...header, preset: undefined, ...last };
}

/**
 * The controller of one flow in a file. If the header has no entry for the flow, uses the header's own fields
 * `controller` and `preset`.
 */
export function controllerOfFile(header: Partial<TraceHeader>, flow: number): DrawnController {
  const named = recordedFlows(header).find((each) => each.flow === flow && each.kind !== 'shadow');
  const { controller, preset } = named ?? header;
  const kind = kindOf({ controller, preset });
  return {
    flow: Number.isNaN(flow) ? 0 : flow,
    name: named?.name ?? preset ?? controller ?? kind,
    controller: kind,
  };
}

/**
 * Selects the rows that are drawn: the rows of `flow`, and in the charts of internals the rows of `detailed`, which
 * may be the same flow. If there are several bottlenecks, only the bottleneck of the forward path is drawn. If `flow`
 * is NaN, nothing is filtered.
 */
export function filtersFor(flow: number, detailed: number, severalLinks: boolean): Filters {
  if (Number.isNaN(flow)) return {};
  const own = { column: 'flow', value: flow };
  const inside = { column: 'flow', value: detailed };
  const queue: Filters = severalLinks ? { queue: { column: 'link', value: 0 } } : {};
  return { rate: own, feedback: own, group: inside, nada: inside, lcc: inside, ...queue };
}
