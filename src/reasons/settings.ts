/** The controller of a flow and its parameters at any time of a trace. */
import { parameterNumber } from '../core/parameter_value.js';
import { CONTROLLER_SPECS, controllerOfPreset, PRESETS, type ControllerName } from '../core/schema.js';
import type { TraceEvent } from '../core/session.js';
import type { TraceHeader } from '../trace/header.js';
import { recordedFlows } from '../trace/recorded_flows.js';

/** The application sets these parameters, so a new preset does not change them. */
const KEPT_BY_PRESETS: readonly string[] = ['min_bitrate_bps', 'max_bitrate_bps', 'start_bitrate_bps'];

/** The fields that describe a controller in a trace's header, or in the event that records the start of a call. */
type Start = Partial<Pick<TraceHeader, 'controller' | 'preset' | 'parameters'>>;

interface Epoch {
  fromUs: number;
  /** Undefined for a user's own or an unknown controller. */
  controller: ControllerName | undefined;
  preset: string | undefined;
  /** Parameters that were set explicitly; they override the preset. */
  own: Readonly<Record<string, number>>;
}

/** A change of a setting, or a restart of the call. */
export interface SettingChange {
  timeUs: number;
  text: string;
  kind: 'setting' | 'restart';
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null;

const isController = (name: unknown): name is ControllerName =>
  typeof name === 'string' && Object.hasOwn(CONTROLLER_SPECS, name);

export class ControllerSettings {
  readonly #epochs: Epoch[];
  #starts = 0;
  /** In time order. */
  readonly changes: SettingChange[] = [];

  /**
   * `seen` is a controller whose rows are in the trace. It applies if neither the header nor an event names a
   * controller.
   */
  constructor(
    header: Partial<TraceHeader>,
    events: readonly TraceEvent[],
    flow: number | null,
    seen: ControllerName | undefined,
  ) {
    const named = recordedFlows(header).find((each) => each.flow === flow);
    this.#epochs = [
      epochOf(
        -Infinity,
        named?.preset !== undefined || named?.controller !== undefined ? named : header,
        seen,
      ),
    ];
    // Events are about the controller that sets the sender's rate. A shadow (a controller that only watches)
    // keeps its settings.
    if (named?.kind === 'shadow') return;
    for (const event of events) this.#hear(event, seen);
  }

  #hear({ time_us: timeUs, name, detail }: TraceEvent, seen: ControllerName | undefined): void {
    const latest = this.#epochs.at(-1);
    if (latest === undefined || !isObject(detail)) return;
    if (name === 'start') {
      if (this.#starts++ > 0)
        this.changes.push({ timeUs, text: 'the call was started again', kind: 'restart' });
      this.#epochs.push(epochOf(timeUs, detail, seen));
    } else if (name === 'preset' && typeof detail['name'] === 'string') {
      const kept = Object.entries(latest.own).filter(([each]) => KEPT_BY_PRESETS.includes(each));
      const preset = detail['name'];
      const controller = controllerOfPreset(preset) ?? latest.controller;
      this.#epochs.push({ fromUs: timeUs, controller, preset, own: Object.fromEntries(kept) });
      this.changes.push({ timeUs, text: `the preset is ${preset} now`, kind: 'setting' });
    } else if (name === 'parameter' && typeof detail['name'] === 'string') {
      const value = numberOf(latest.controller, detail['name'], detail['value']);
      if (value === undefined) return;
      this.#epochs.push({ ...latest, fromUs: timeUs, own: { ...latest.own, [detail['name']]: value } });
      this.changes.push({ timeUs, text: `${detail['name']} is ${value} now`, kind: 'setting' });
    }
  }

  #at(timeUs: number): Epoch | undefined {
    return this.#epochs.findLast(({ fromUs }) => fromUs <= timeUs);
  }

  /** The controllers in time order, each with the time at which it took over the flow. */
  get controllers(): readonly Pick<Epoch, 'fromUs' | 'controller'>[] {
    return this.#epochs.filter(
      ({ controller }, i) => i === 0 || controller !== this.#epochs[i - 1]?.controller,
    );
  }

  /** The value of a parameter at a time. NaN if the controller is unknown or does not have this parameter. */
  value(name: string, timeUs: number): number {
    const epoch = this.#at(timeUs);
    if (epoch?.controller === undefined) return NaN;
    const preset = PRESETS.find((each) => each.name === epoch.preset);
    const spec = CONTROLLER_SPECS[epoch.controller].parameters.find((each) => each.name === name);
    return epoch.own[name] ?? preset?.values[name] ?? spec?.default ?? NaN;
  }

  /** The latest change after `fromUs` and up to `toUs` (inclusive). */
  changeBetween(fromUs: number, toUs: number): SettingChange | undefined {
    return this.changes.findLast(({ timeUs }) => timeUs > fromUs && timeUs <= toUs);
  }
}

function numberOf(controller: ControllerName | undefined, name: string, value: unknown): number | undefined {
  const spec =
    controller && CONTROLLER_SPECS[controller].parameters.find((parameter) => parameter.name === name);
  if (typeof value !== 'number' && typeof value !== 'string') return undefined;
  return spec === undefined ? undefined : parameterNumber(spec, value);
}

/** Reads the description of a controller. It comes from a file, so its fields may have any type. */
function epochOf(fromUs: number, start: Start, seen: ControllerName | undefined): Epoch {
  const { preset, parameters, controller } = start;
  const ofPreset = typeof preset === 'string' ? controllerOfPreset(preset) : undefined;
  const isUsers = typeof controller === 'string' && !isController(controller) && ofPreset === undefined;
  const known = ofPreset ?? (isController(controller) ? controller : isUsers ? undefined : seen);
  const given = isObject(parameters) ? Object.entries(parameters) : [];
  const own = given.flatMap(([name, value]) => {
    const number = numberOf(known, name, value);
    return number === undefined ? [] : [[name, number] as const];
  });
  return { fromUs, controller: known, preset, own: Object.fromEntries(own) };
}
