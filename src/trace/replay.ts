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
 * The tables that a controller's receiver half writes, and those that its sender half writes. The two halves
 * exchange feedback messages.
 */
const OF_RECEIVER: readonly TableName[] = ['group', 'nada'];
const OF_SENDER: readonly TableName[] = ['rate', 'lcc'];

/** How a trace is replayed. */
export interface ReplayOptions {
  /**
   * The preset to use instead of the recorded one; recorded changes of preset and parameters are then
   * ignored.
   */
  preset?: string | undefined;
  /** The controller to use instead of the recorded one; a preset, if given, must belong to it. */
  controller?: ControllerName | UserController | undefined;
  /** Parameters that take precedence over those of the preset, of the header, and of recorded changes. */
  parameters?: GivenParameters | undefined;
  /** Replays this flow alone: its number, or its name in the header. */
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
 * Feeds the arrivals and the wire counters of a trace (tables `arrival` and `inbound`) to controllers, in the
 * order of the file. Each flow has one receiver half and one sender half. The sender half gets feedback
 * without delay, timed by the receiver's clock. If arrivals contain the RTT, the sender half gets it, too.
 * Recorded changes of preset and parameters are applied at their places in the file. A recorded event `start`
 * (a new call) replaces all controllers with new ones. The rows that the recorded controller produced are
 * skipped.
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
  /** The number of the only flow that is replayed; undefined: all flows. */
  #only: number | undefined;

  constructor(core: Core, options: ReplayOptions) {
    this.#core = core;
    this.#options = options;
  }

  /** The preset at the start, known once the header has been read. */
  get preset(): string {
    return this.#plan?.preset ?? this.#options.preset ?? '';
  }

  /**
   * The name of the recorded controller, if a default controller replaces it: the core does not have the
   * recorded controller, and the options request neither a controller nor a preset. Otherwise undefined.
   */
  get missingController(): string | undefined {
    return this.#missingController;
  }

  /** Number of arrivals consumed so far. */
  get arrivals(): number {
    return this.#arrivals;
  }

  /**
   * Throws TraceError if the header names a preset or a parameter that does not exist, or if it does not list
   * the requested flow.
   */
  header(header: TraceHeader): void {
    this.#plan = replayPlan(header, this.#options);
    const { flow, preset, controller } = this.#options;
    const recorded = header.preset === undefined ? header.controller : undefined;
    const isKnown = recorded === undefined || CONTROLLER_NAMES.some((name) => name === recorded);
    if (!isKnown && preset === undefined && controller === undefined) this.#missingController = recorded;
    if (flow !== undefined) this.#only = this.#numberOf(flow, recordedFlows(header));
  }

  #numberOf(flow: string, flows: readonly RecordedFlow[]): number {
    const number = flows.find(({ name }) => name === flow)?.flow ?? (/^\d+$/.test(flow) ? Number(flow) : NaN);
    if (!Number.isNaN(number)) return number;
    const names = flows.filter(({ kind }) => kind !== 'tcp').map(({ name, flow: n }) => name ?? String(n));
    const expected =
      names.length > 0 ? `one of ${names.join(', ')}` : 'the number of a flow, since this trace has no names';
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
    // Rows of unknown types contain no input for a controller.
  }

  /** Emits the rows that the controllers have produced so far. */
  flush(): void {
    for (const flow of this.#flows.values()) this.#drain(flow);
  }

  /** Ends the replay. Throws TraceError if the trace had no arrival to replay. */
  end(): void {
    this.flush();
    if (this.#arrivals > 0) return;
    const file = this.#options.file === undefined ? {} : { file: this.#options.file };
    const whose = this.#only === undefined ? '' : ` of flow ${this.#only}`;
    const expected = `at least one arrival row${whose} (a replay needs arrivals)`;
    throw new TraceError({ ...file, line: this.#line, field: 'type', expected, got: 'none' });
  }

  /** Ends all flows, so that the following rows go to new controllers. */
  #endFlows(): void {
    this.flush();
    this.destroy();
  }

  /** Faults of a user's controller so far. After a fault, its flow produces no more rates. */
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

  /** Runs `work`. Turns an error of the core into a TraceError with the place in the file. */
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

/** Returns a function that reads the named columns from a row of the table. */
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
