import {
  CONTROLLER_NAMES,
  CoreError,
  tableSpec,
  type ControllerFault,
  type ControllerName,
  type Core,
  type Feedback,
  type ReceiverHalf,
  type SenderHalf,
  type TableName,
  type TraceBatch,
  type TraceEvent,
  type UserController,
} from '../core/index.js';
import { TraceError } from './errors.js';
import type { TraceHeader } from './header.js';
import type { TraceSink } from './ndjson_reader.js';
import { recordedFlows, type RecordedFlow } from './recorded_flows.js';
import {
  controllerStart,
  parameterChange,
  presetChange,
  replayPlan,
  type GivenParameters,
  type ReplayPlan,
} from './replay_plan.js';

/**
 * The tables whose rows a replay emits: those that a controller's receiver half records, and those that its
 * sender half records.
 */
const OF_RECEIVER: readonly TableName[] = ['group', 'nada'];
const OF_SENDER: readonly TableName[] = ['rate', 'lcc'];

/** What to replay, and with which controller. */
export interface ReplayOptions {
  /**
   * The preset to use instead of the recorded one, with the bitrate bounds of each recorded call. Recorded changes of
   * preset and parameters are then ignored.
   */
  preset?: string | undefined;
  /**
   * The controller to use instead of the recorded one, with the bitrate bounds of each recorded call. Recorded changes
   * of preset and parameters are then ignored. Has no effect if `preset` is given, since a preset already determines the controller.
   */
  controller?: ControllerName | UserController | undefined;
  /** Parameters that override the preset, the header, and recorded changes. */
  parameters?: GivenParameters | undefined;
  /** The only flow to replay: its number, or its name in the header. Default: all flows. */
  flow?: string | undefined;
  /** The trace's name for messages. */
  file?: string | undefined;
  /** Receives rows of `group`, `nada`, `rate` and `lcc`, in the order in which the controller produced them. */
  emit(batch: TraceBatch): void;
}

interface Flow {
  flow: number;
  receiver: ReceiverHalf;
  sender: SenderHalf;
  nextSeq: number;
  rttUs: number;
}

/**
 * Feeds the arrivals and the receive counters of a trace (tables `arrival` and `inbound`) to controllers, in the
 * order of the file. Each flow has one receiver half and one sender half. The sender half receives feedback
 * without delay, at the time of the receiver's clock, and the RTT if the arrivals contain it. Recorded changes of
 * preset and parameters take effect at their place in the file. A recorded event `start` (a new call) replaces
 * all controllers with new ones. Rows that the recorded controller produced are ignored.
 */
export class Replayer implements TraceSink {
  readonly #core: Core;
  readonly #options: ReplayOptions;
  readonly #flows = new Map<number, Flow>();
  readonly #pastFaults: ControllerFault[] = [];
  #plan: ReplayPlan | null = null;
  #line = 1;
  #missingController: string | undefined;
  #arrivals = 0;
  /** The number of the only flow to replay; undefined: all flows. */
  #only: number | undefined;

  constructor(core: Core, options: ReplayOptions) {
    this.#core = core;
    this.#options = options;
  }

  /** The current preset: at first the preset of the header or of the options. Empty for a user's controller. */
  get preset(): string {
    return this.#plan?.preset ?? this.#options.preset ?? '';
  }

  /**
   * The name of the recorded controller, if the replay uses a default controller in its place. This happens if
   * the core does not have the recorded controller, and the options give neither a controller nor a preset.
   * Otherwise undefined.
   */
  get missingController(): string | undefined {
    return this.#missingController;
  }

  /** The number of arrivals that have been replayed so far. */
  get arrivals(): number {
    return this.#arrivals;
  }

  /**
   * Reads the header. Throws TraceError if the header contains an unknown preset or parameter, or if it does
   * not contain the name of the requested flow. Throws ParameterProblem for a wrong parameter in the options.
   */
  header(header: TraceHeader): void {
    this.#plan = replayPlan(header, this.#options);
    const { flow, preset, controller } = this.#options;
    const flows = recordedFlows(header);
    if (flow !== undefined) this.#only = this.#numberOf(flow, flows);
    const chosen = flows.filter((each) => each.flow === this.#only);
    const replayed = this.#only === undefined ? [header, ...flows] : chosen.length > 0 ? chosen : [header];
    const [missing] = replayed.flatMap(({ controller: name, preset: own }) =>
      own !== undefined || CONTROLLER_NAMES.some((known) => known === name) ? [] : (name ?? []),
    );
    if (preset === undefined && controller === undefined) this.#missingController = missing;
  }

  #numberOf(flow: string, flows: readonly RecordedFlow[]): number {
    const number = flows.find(({ name }) => name === flow)?.flow ?? (/^\d+$/.test(flow) ? Number(flow) : NaN);
    if (!Number.isNaN(number)) return number;
    const names = flows.filter(({ kind }) => kind !== 'tcp').map(({ name, flow: n }) => name ?? String(n));
    const expected =
      names.length > 0
        ? `one of ${names.join(', ')}`
        : 'the number of a flow, since the flows of this trace have no names';
    const file = this.#options.file === undefined ? {} : { file: this.#options.file };
    throw new TraceError({ ...file, line: 1, field: 'flow', expected, got: flow });
  }

  row(table: TableName, values: Float64Array, _extra: string | undefined, line: number): void {
    this.#line = line;
    if (table === 'arrival') this.#guard(() => this.#arrival(values));
    else if (table === 'inbound') this.#guard(() => this.#inbound(values));
  }

  event(event: TraceEvent, _extra: string, line: number): void {
    this.#line = line;
    const plan = this.#plan;
    const place = { line, ...(this.#options.file === undefined ? {} : { file: this.#options.file }) };
    const start = controllerStart(event);
    if (start !== null) {
      this.#endFlows();
      plan?.restart(start, place);
      if (plan?.recordedChanges === true && start.preset === undefined)
        this.#missingController ??= start.controller;
    }
    if (plan?.recordedChanges !== true) return;
    const preset = presetChange(event, place);
    const parameter = parameterChange(event, preset ?? plan.preset, place);
    const halves = [...this.#flows.values()].flatMap(({ receiver, sender }) => [receiver, sender]);
    this.#guard(() => {
      if (preset !== null) plan.changePreset(preset, halves);
      if (parameter !== null) plan.changeParameter(parameter, halves);
    });
  }

  unknown(): void {
    // Rows of unknown types are not input of a controller.
  }

  /** Emits the rows that the controllers have produced since the last call. */
  flush(): void {
    for (const flow of this.#flows.values()) this.#drain(flow);
  }

  /** Ends the replay. Throws TraceError if no arrival was replayed. */
  end(): void {
    this.flush();
    if (this.#arrivals > 0) return;
    const file = this.#options.file === undefined ? {} : { file: this.#options.file };
    const whose = this.#only === undefined ? '' : ` for flow ${this.#only}`;
    const expected = `at least one arrival row${whose}, since a replay needs arrivals`;
    throw new TraceError({ ...file, line: this.#line, field: 'type', expected, got: 'none' });
  }

  /** Ends all flows, so that later rows create new controllers. */
  #endFlows(): void {
    this.flush();
    this.destroy();
  }

  /**
   * The faults of users' controllers so far. After a fault of its receiver half, a flow produces no more rates. After
   * a fault of its sender half, the flow keeps its last good rate.
   */
  faults(): ControllerFault[] {
    const present = [...this.#flows.values()].flatMap(({ receiver, sender }) => [
      ...receiver.faults(),
      ...sender.faults(),
    ]);
    return [...this.#pastFaults, ...present];
  }

  destroy(): void {
    this.#pastFaults.push(...this.faults().slice(this.#pastFaults.length));
    for (const { receiver, sender } of this.#flows.values()) {
      receiver.destroy();
      sender.destroy();
    }
    this.#flows.clear();
  }

  #arrival(values: Float64Array): void {
    const [flowId, seq, sendTimeUs, arrivalTimeUs, sizeBytes, rtpTimestamp, absSendTime, keyFrame, rttUs] =
      readArrival(values);
    if (this.#passes(flowId)) return;
    const flow = this.#flow(flowId);
    const number = Number.isNaN(seq) ? flow.nextSeq : seq;
    flow.nextSeq = number + 1;
    if (!Number.isNaN(rttUs)) flow.rttUs = rttUs;
    this.#arrivals += 1;
    const isKey = Number.isNaN(keyFrame) ? {} : { keyFrame: keyFrame > 0 };
    const times = { sendTimeUs, arrivalTimeUs, rtpTimestamp, absSendTime, rttUs };
    flow.receiver.pushArrival({ seq: number, sizeBytes, ...times, ...isKey });
    this.#feedback(flow);
  }

  #inbound(values: Float64Array): void {
    const [flowId, timeUs, packetsReceived, packetsLost, bytesReceived] = readInbound(values);
    if (this.#passes(flowId)) return;
    const flow = this.#flow(flowId);
    flow.receiver.pushInbound({ timeUs, packetsReceived, packetsLost, bytesReceived });
    this.#feedback(flow);
  }

  /** Whether to skip a row because its flow is not replayed. */
  #passes(flow: number): boolean {
    return this.#only !== undefined && (Number.isNaN(flow) ? 0 : flow) !== this.#only;
  }

  #feedback(flow: Flow): void {
    const feedback: Feedback | null = flow.receiver.takeFeedback();
    if (feedback === null) return;
    flow.sender.pushFeedback(feedback, feedback.timeUs);
    if (!Number.isNaN(flow.rttUs)) flow.sender.pushSent(feedback.timeUs, NaN, flow.rttUs);
    flow.sender.run(feedback.timeUs);
    this.#drain(flow);
  }

  #drain(flow: Flow): void {
    for (const batch of flow.receiver.drain())
      if (OF_RECEIVER.includes(batch.table)) this.#options.emit(batch);
    for (const batch of flow.sender.drain()) if (OF_SENDER.includes(batch.table)) this.#options.emit(batch);
  }

  #flow(id: number): Flow {
    const key = Number.isNaN(id) ? 0 : id;
    const known = this.#flows.get(key);
    if (known !== undefined) return known;
    if (this.#plan === null) throw new Error('a row came before the header');
    const options = this.#plan.start(key);
    const receiver = this.#core.createReceiver(options);
    const flow = { flow: key, receiver, sender: this.#core.createSender(options), nextSeq: 0, rttUs: NaN };
    this.#flows.set(key, flow);
    return flow;
  }

  /** Runs `work`. Converts an error of the core to a TraceError with the line of the trace. */
  #guard(work: () => void): void {
    try {
      work();
    } catch (error) {
      if (!(error instanceof CoreError)) throw error;
      const file = this.#options.file === undefined ? {} : { file: this.#options.file };
      const field = error.field ?? 'line';
      throw new TraceError({ ...file, line: this.#line, field, expected: error.message, got: 'this row' });
    }
  }
}

/** Returns a function that reads the named columns of a row. */
function picker<const N extends readonly string[]>(
  table: TableName,
  names: N,
): (row: Float64Array) => { [K in keyof N]: number } {
  const columns = tableSpec(table).columns.map((column) => column.name);
  const indices = names.map((name) => columns.indexOf(name));
  return (row) => indices.map((index) => row[index] ?? NaN) as { [K in keyof N]: number };
}

const readArrival = picker('arrival', [
  'flow',
  'seq',
  'send_time_us',
  'arrival_time_us',
  'size_bytes',
  'rtp_timestamp',
  'abs_send_time',
  'key_frame',
  'rtt_us',
]);

const readInbound = picker('inbound', [
  'flow',
  'time_us',
  'packets_received',
  'packets_lost',
  'bytes_received',
]);
