/** The changes during a recorded call, in the form that the simulation accepts. */
import type {
  CapacityStep,
  PathChange,
  SimulationChange,
  TcpFlowOptions,
  TraceEvent,
} from '../core/index.js';
import { LINK_KEYS, type LinkKey } from '../link/fields.js';
import { forwardChange, forwardLink, type LinkConfig, parseLinkConfig } from '../link/link_config.js';
import { checkPreset, presetParameterValue } from '../trace/parameters.js';

/** The capacity in the rows of the table `queue`, in time order. */
export interface CapacityRows {
  timeUs: ArrayLike<number>;
  capacityBps: ArrayLike<number>;
}

/**
 * A simulated path cannot begin with a capacity of 0. If a recording begins with an outage, the outage gets this
 * capacity.
 */
const LEAST_BPS = 1;
/** Parameters that keep their values when the preset changes: the application's rate limits and its start rate. */
const KEPT_BY_PRESETS: readonly string[] = ['min_bitrate_bps', 'max_bitrate_bps', 'start_bitrate_bps'];

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null;

/** The link settings that an event reports, by their names in JSON. Throws ConfigError. */
export function toldSettings({ name, detail }: TraceEvent): Partial<LinkConfig> {
  if (name !== 'link' || !isObject(detail)) return {};
  // The event of an in-page bottleneck also contains settings in the form that the core accepts. These settings have
  // other names or are objects, so they are left out here.
  const told = Object.entries(detail).filter(
    ([key, value]) => LINK_KEYS.includes(key as LinkKey) && !isObject(value),
  );
  return parseLinkConfig(Object.fromEntries(told));
}

const tellsCapacity = ({ name, detail }: TraceEvent): boolean =>
  name === 'capacity' || (name === 'link' && isObject(detail) && 'capacity' in detail);

/**
 * The capacity over time, from the rows of the queue. The first step is at time 0. Rows come ten times a second. If
 * an event reports a change, the change gets the event's time. Any other change is put midway between the two rows
 * around it.
 */
export function capacitySteps(rows: CapacityRows, events: readonly TraceEvent[]): CapacityStep[] {
  const told = events.filter(tellsCapacity).map((event) => event.time_us);
  const steps: CapacityStep[] = [];
  for (let row = 0; row < rows.timeUs.length; row++) {
    const [nowUs, capacityBps] = [rows.timeUs[row] ?? NaN, rows.capacityBps[row] ?? NaN];
    if (Number.isNaN(capacityBps) || capacityBps === steps.at(-1)?.capacityBps) continue;
    const beforeUs = rows.timeUs[row - 1] ?? 0;
    if (steps.length === 0) steps.push({ atUs: 0, capacityBps: Math.max(LEAST_BPS, capacityBps) });
    else {
      const toldUs = told.find((us) => us > beforeUs && us <= nowUs);
      steps.push({ atUs: toldUs ?? (beforeUs + nowUs) / 2, capacityBps });
    }
  }
  return steps;
}

/**
 * Divides the propagation delay between the directions. With a bottleneck in the page, all of it is in the
 * forward direction.
 */
export function delays(rttMs: number, isInPage: boolean): { forwardUs: number; backwardUs: number } {
  const rttUs = rttMs * 1e3;
  return isInPage ? { forwardUs: rttUs, backwardUs: 0 } : { forwardUs: rttUs / 2, backwardUs: rttUs / 2 };
}

/** Changes to the link's settings, except for capacity and cross traffic. Throws ConfigError. */
export function linkChanges(events: readonly TraceEvent[], isInPage: boolean): SimulationChange[] {
  return events.flatMap((event): SimulationChange[] => {
    const { capacity: _, cross_traffic: __, seed: ___, rtt_ms, ...settings } = toldSettings(event);
    const forward: PathChange = forwardChange(settings);
    if (rtt_ms === undefined && Object.keys(forward).length === 0) return [];
    if (rtt_ms === undefined) return [{ atUs: event.time_us, forward }];
    const { forwardUs, backwardUs } = delays(rtt_ms, isInPage);
    return [
      {
        atUs: event.time_us,
        forward: { ...forward, oneWayDelayUs: forwardUs },
        backward: { oneWayDelayUs: backwardUs },
      },
    ];
  });
}

/** The TCP connections beside the call, each with its start and, if it ended, its end. Throws ConfigError. */
export function crossFlows(
  link: LinkConfig,
  events: readonly TraceEvent[],
  { fromUs, toUs }: { fromUs: number; toUs: number },
): TcpFlowOptions[] {
  const epochs = [{ atUs: fromUs, ...forwardLink(link).crossTraffic }];
  for (const event of events) {
    const { cross_traffic } = toldSettings(event);
    if (cross_traffic !== undefined)
      epochs.push({ atUs: event.time_us, ...forwardChange({ cross_traffic }).crossTraffic });
  }
  const flows = (kind: 'cubic' | 'newReno'): TcpFlowOptions[] => {
    const congestionControl = kind === 'cubic' ? 'cubic' : 'new_reno';
    const running: TcpFlowOptions[] = [];
    const ended: TcpFlowOptions[] = [];
    for (const { atUs, [kind]: count = 0 } of epochs) {
      while (running.length > count)
        ended.push(...running.splice(-1).map((flow) => ({ ...flow, stopUs: atUs })));
      while (running.length < count) running.push({ kind: 'tcp', congestionControl, startUs: atUs });
    }
    return [...ended, ...running].filter(({ startUs = 0 }) => startUs < toUs);
  };
  return [...flows('cubic'), ...flows('newReno')];
}

/** A controller's preset, and the parameters that differ from it. */
export interface ControllerState {
  preset?: string;
  parameters: Readonly<Record<string, number>>;
}

/** Parameters as numbers. A recording may contain a value as a number or as a name. Throws ParameterProblem. */
export function recordedParameters(
  preset: string | undefined,
  recorded: Readonly<Record<string, unknown>>,
): Record<string, number> {
  const values = Object.entries(recorded).flatMap(([name, value]): [string, number][] => {
    if (preset === undefined) return typeof value === 'number' ? [[name, value]] : [];
    return typeof value === 'number' || typeof value === 'string'
      ? [[name, presetParameterValue(preset, name, value)]]
      : [];
  });
  return Object.fromEntries(values);
}

/** Changes to the preset and the parameters of the call's own controller (flow 0). Throws ParameterProblem. */
export function controllerChanges(start: ControllerState, events: readonly TraceEvent[]): SimulationChange[] {
  let now = start;
  const changes: SimulationChange[] = [];
  for (const { name, time_us: atUs, detail } of events) {
    const { name: named, value } = isObject(detail) ? detail : { name: detail, value: undefined };
    if (typeof named !== 'string') continue;
    if (name === 'preset') {
      const kept = Object.entries(now.parameters).filter(([each]) => KEPT_BY_PRESETS.includes(each));
      now = { preset: checkPreset(named), parameters: Object.fromEntries(kept) };
    } else if (name === 'parameter') {
      const changed = recordedParameters(now.preset, { [named]: value });
      now = { ...now, parameters: { ...now.parameters, ...changed } };
    } else continue;
    changes.push({ atUs, controller: { flow: 0, ...now } });
  }
  return changes;
}
