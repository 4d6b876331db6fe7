/**
 * The packet simulator of the core (wasm/sim): media and TCP flows over a forward and a backward path,
 * in virtual time. The same options and seed give the same bytes natively, in Node and in browsers.
 */
import { componentValues } from './component.js';
import { DROP_REASONS, type Bottleneck, type CapacityStep, type QueueOptions } from './link.js';
import { modeOf, passQueue } from './link_arguments.js';
import { CoreError, type CoreModule } from './load.js';
import { drainRecorder, type TraceBatch } from './recorder.js';
import { SCHEMA, type TableName } from './schema.js';
import { presetIndex } from './session.js';

/** One direction of the network: impairments, queue, bottleneck, propagation. */
export interface PathOptions {
  /** 1 bit/s to 100 Gbit/s; left out: no bottleneck, only loss, jitter and delay. */
  capacityBps?: number;
  /** Capacity changes ahead, in time order; 0 is an outage. */
  schedule?: readonly CapacityStep[];
  /** Default: DropTail of 300 ms. */
  queue?: QueueOptions;
  /** Default `serial`. */
  bottleneck?: Bottleneck;
  /** What a token bucket lets through at once; default 5000. */
  burstBytes?: number;
  /** Propagation of every flow. Default 0. */
  oneWayDelayUs?: number;
  /** Probability that a packet is lost before the queue, 0 to 1. Default 0. */
  lossRatio?: number;
  /** Standard deviation of a normal delay before the queue, of which the absolute value, at most three deviations, counts. */
  jitterUs?: number;
}

interface FlowCommon {
  /** Shown in reports; default `media` or `tcp` with the flow's number. */
  name?: string;
  /** Which way its data goes; acknowledgements and feedback go the other. Default `forward`. */
  direction?: 'forward' | 'backward';
  /** Default 0. */
  startUs?: number;
  /** Default: the end of the simulation. */
  stopUs?: number;
  /** Propagation of this flow beyond the path's, each way. Default 0. */
  extraDelayUs?: number;
}

/** A video source behind a pacer, its rate chosen by a congestion controller. */
export interface MediaFlowOptions extends FlowCommon {
  kind: 'media';
  controller?: 'gcc';
  /** Default `gcc`. */
  preset?: string;
  /** Parameters of the controller that differ from the preset. */
  parameters?: Readonly<Record<string, number>>;
  /** A preset of the component `media_source`: `vp8` for measured noise and lag. */
  sourcePreset?: string;
  /** Parameters of the video source that differ: names of the component `media_source` of the schema. */
  source?: Readonly<Record<string, number>>;
  /** Times in which the source sends nothing. */
  pauses?: readonly { fromUs: number; toUs: number }[];
}

/** A TCP connection that always has data, or sends short files with pauses (RFC 8867 5.7). */
export interface TcpFlowOptions extends FlowCommon {
  kind: 'tcp';
  congestionControl?: 'cubic' | 'new_reno';
  /** A preset of the component `tcp`. */
  preset?: string;
  /** Parameters of the component `tcp` of the schema. */
  parameters?: Readonly<Record<string, number>>;
  /** Files of a uniformly distributed size, exponentially distributed pauses between them. */
  short?: { minBytes: number; maxBytes: number; idleMeanUs: number };
}

export type FlowOptions = MediaFlowOptions | TcpFlowOptions;

/** A stretch of time that is measured. */
export interface WindowOptions {
  name: string;
  beginUs: number;
  endUs: number;
}

export interface SimulationOptions {
  durationUs: number;
  /** An integer from 0 to 2^53 - 1; default 1. */
  seed?: number;
  forward: PathOptions;
  /** Default: the forward path's delay, and no bottleneck. */
  backward?: PathOptions;
  flows: readonly FlowOptions[];
  /** Measured besides the whole run, whose window is called `run` and always comes first. */
  windows?: readonly WindowOptions[];
  /** Interval of the rates that Jain's index and the convergence time are computed from; default 500 ms. */
  rateIntervalUs?: number;
  /** A run that needs more events than this is given up with an error; default 1e9. */
  maxEvents?: number;
  /** Which rows are recorded; none when left out. */
  trace?: {
    tables: readonly TableName[];
    /** Between two `rate` and two `queue` rows; default 200 ms. */
    intervalUs?: number;
  };
}

/** A distribution, percentiles by the nearest rank (resolution 0.2 %). All NaN when `count` is 0. */
export interface Distribution {
  count: number;
  mean: number;
  sd: number;
  min: number;
  max: number;
  p5: number;
  p25: number;
  p50: number;
  p75: number;
  p95: number;
  p99: number;
}

/** What one flow did within a window. Bytes are those on the wire. */
export interface FlowMetrics {
  flow: number;
  name: string;
  kind: 'media' | 'tcp';
  direction: 'forward' | 'backward';
  sentPackets: number;
  sentBytes: number;
  receivedPackets: number;
  receivedBytes: number;
  lostPackets: number;
  lostBytes: number;
  /** lostBytes / sentBytes; 0 when nothing was sent. */
  lossRatio: number;
  sendRateBps: number;
  receiveRateBps: number;
  /** Payload that arrived for the first time. */
  goodputBps: number;
  /** Time average of what the controller asked for; NaN for TCP. */
  targetRateBps: number;
  /** Standard deviation of the received rate over the rate intervals. */
  receiveRateSdBps: number;
  /** From the flow's start until its received rate first reaches 90 % of its share of the capacity; NaN if never. */
  convergenceUs: number;
  /** RTT - RTT_min of RTCP probes (ToN V, AQM 3), us; media flows only. */
  probeQueueDelayUs: Distribution;
  /** RTT of the same probes. */
  rttUs: Distribution;
  /** One-way queuing delay of each packet (CMP, LCC), us. */
  queueDelayUs: Distribution;
}

export interface PathMetrics {
  /** Mean capacity over the window; NaN without a bottleneck. */
  capacityBps: number;
  /** What went through the bottleneck over what could have; NaN without one. */
  utilisation: number;
  /** Waiting time of all packets, us. */
  queueDelayUs: Distribution;
  deliveredPackets: number;
  deliveredBytes: number;
  /** By reason, as in `DROP_REASONS`. */
  drops: Readonly<Record<string, number>>;
}

export interface WindowMetrics extends WindowOptions {
  forward: PathMetrics;
  backward: PathMetrics;
  flows: FlowMetrics[];
  /** Jain's index of the media flows' received rates over the window; NaN without media flows. */
  jain: number;
  /** Mean over the rate intervals of Jain's index of the media flows that are active then. */
  jainMean: number;
  /** The same of all flows of the forward path, TCP included. */
  jainAll: number;
  jainAllMean: number;
}

const DIRECTIONS = ['forward', 'backward'] as const;
const CONGESTION_CONTROLS = ['cubic', 'new_reno'] as const;
const FLOW_KINDS = ['media', 'tcp'] as const;
const DEFAULT_MAX_EVENTS = 1e9;
const DEFAULT_RATE_INTERVAL_US = 500e3;
const DEFAULT_TRACE_INTERVAL_US = 200e3;
const DEFAULT_BURST_BYTES = 5000;

/** Reads flat numbers one after the other. */
class Reader {
  #at = 0;
  constructor(readonly values: Float64Array) {}

  next(): number {
    const value = this.values[this.#at];
    if (value === undefined)
      throw new CoreError('the core gave fewer metrics than these bindings read; rebuild both');
    this.#at += 1;
    return value;
  }

  distribution(): Distribution {
    const keys = ['count', 'mean', 'sd', 'min', 'max', 'p5', 'p25', 'p50', 'p75', 'p95', 'p99'] as const;
    return Object.fromEntries(keys.map((key) => [key, this.next()])) as unknown as Distribution;
  }
}

function readPath(reader: Reader): PathMetrics {
  const path = {
    capacityBps: reader.next(),
    utilisation: reader.next(),
    queueDelayUs: reader.distribution(),
    deliveredPackets: reader.next(),
    deliveredBytes: reader.next(),
  };
  const drops = DROP_REASONS.map((reason): [string, number] => [reason ?? 'none', reader.next()]);
  return { ...path, drops: Object.fromEntries(drops.slice(1)) };
}

function readFlow(reader: Reader, flow: number, name: string | undefined): FlowMetrics {
  const kind = FLOW_KINDS[reader.next()] ?? 'media';
  return {
    flow,
    name: name ?? `${kind} ${flow}`,
    kind,
    direction: DIRECTIONS[reader.next()] ?? 'forward',
    sentPackets: reader.next(),
    sentBytes: reader.next(),
    receivedPackets: reader.next(),
    receivedBytes: reader.next(),
    lostPackets: reader.next(),
    lostBytes: reader.next(),
    lossRatio: reader.next(),
    sendRateBps: reader.next(),
    receiveRateBps: reader.next(),
    goodputBps: reader.next(),
    targetRateBps: reader.next(),
    receiveRateSdBps: reader.next(),
    convergenceUs: reader.next(),
    probeQueueDelayUs: reader.distribution(),
    rttUs: reader.distribution(),
    queueDelayUs: reader.distribution(),
  };
}

/** A simulation in the core. Errors are CoreErrors that name the field. */
export class Simulation {
  readonly #core: CoreModule;
  readonly #windows: readonly WindowOptions[];
  readonly #names: readonly (string | undefined)[];
  #handle: number;

  constructor(core: CoreModule, options: SimulationOptions) {
    this.#core = core;
    this.#windows = [{ name: 'run', beginUs: 0, endUs: options.durationUs }, ...(options.windows ?? [])];
    this.#names = options.flows.map(({ name }) => name);
    this.#handle = core.handle(
      'ccs_sim_create',
      options.durationUs,
      options.rateIntervalUs ?? DEFAULT_RATE_INTERVAL_US,
      options.seed ?? 1,
      options.maxEvents ?? DEFAULT_MAX_EVENTS,
    );
    try {
      this.#setUp(options);
    } catch (error) {
      this.destroy();
      throw error;
    }
  }

  #setUp({ forward, backward, windows = [], flows, trace }: SimulationOptions): void {
    this.#setPath(0, forward, 'forward');
    const noBottleneck = forward.oneWayDelayUs === undefined ? {} : { oneWayDelayUs: forward.oneWayDelayUs };
    this.#setPath(1, backward ?? noBottleneck, 'backward');
    for (const [index, { beginUs, endUs }] of windows.entries()) {
      inside(`windows.${index}`, () => this.#check('ccs_sim_add_window', beginUs, endUs));
    }
    for (const [index, flow] of flows.entries()) inside(`flows.${index}`, () => this.#addFlow(flow));
    if (trace !== undefined) {
      const bits = trace.tables.reduce((sum, table) => sum | (1 << tableIndex(table)), 0);
      this.#check('ccs_sim_trace', bits, trace.intervalUs ?? DEFAULT_TRACE_INTERVAL_US);
    }
  }

  #setPath(direction: number, path: PathOptions, name: string): void {
    inside(name, () => {
      const delay = [path.oneWayDelayUs ?? 0, path.lossRatio ?? 0, path.jitterUs ?? 0] as const;
      if (path.capacityBps === undefined) {
        this.#check('ccs_sim_set_delay', direction, ...delay);
      } else {
        const queue = passQueue(this.#core, path.queue ?? { kind: 'droptail' });
        const mode = modeOf(path.bottleneck ?? 'serial');
        const burstBytes = path.burstBytes ?? DEFAULT_BURST_BYTES;
        this.#check(
          'ccs_sim_set_bottleneck',
          direction,
          path.capacityBps,
          ...queue,
          mode,
          burstBytes,
          ...delay,
        );
      }
      for (const [index, { atUs, capacityBps }] of (path.schedule ?? []).entries()) {
        inside(`schedule.${index}`, () =>
          this.#check('ccs_sim_schedule_capacity', direction, atUs, capacityBps),
        );
      }
    });
  }

  #addFlow(flow: FlowOptions): void {
    expectOneOf('kind', FLOW_KINDS, flow.kind);
    if (flow.kind === 'media') this.#addMedia(flow);
    else this.#addTcp(flow);
  }

  #addMedia(flow: MediaFlowOptions): void {
    expectOneOf('controller', ['gcc'], flow.controller ?? 'gcc');
    const overrides = Object.entries(flow.parameters ?? {}).flatMap(([name, value]) => {
      const index = SCHEMA.parameters.findIndex((parameter) => parameter.name === name);
      if (index < 0) throw new CoreError(`parameters.${name}: not a parameter of gcc`, `parameters.${name}`);
      return [index, value];
    });
    const pauses = (flow.pauses ?? []).flatMap(({ fromUs, toUs }) => [fromUs, toUs]);
    const source = componentValues('media_source', {
      preset: flow.sourcePreset,
      parameters: flow.source ?? {},
      path: 'source',
    });
    this.#core.input([...source, ...overrides, ...pauses]);
    this.#check(
      'ccs_sim_add_media_flow',
      ...common(flow),
      presetIndex(flow.preset ?? 'gcc'),
      overrides.length / 2,
      pauses.length / 2,
    );
  }

  #addTcp(flow: TcpFlowOptions): void {
    const values = componentValues('tcp', {
      preset: flow.preset,
      parameters: flow.parameters ?? {},
      path: 'parameters',
    });
    const { short } = flow;
    const files = short === undefined ? [] : [short.minBytes, short.maxBytes, short.idleMeanUs];
    this.#core.input([...values, ...files]);
    const congestionControl = CONGESTION_CONTROLS.indexOf(flow.congestionControl ?? 'cubic');
    this.#check('ccs_sim_add_tcp_flow', ...common(flow), congestionControl, Number(short !== undefined));
  }

  /** Virtual time, microseconds. */
  get nowUs(): number {
    return this.#core.call('ccs_sim_now_us', this.#live());
  }

  /** Events so far. */
  get events(): number {
    return this.#core.call('ccs_sim_events', this.#live());
  }

  /** Runs until a time, at most to the end. Throws CoreError when it takes more than `maxEvents`. */
  runUntil(us: number): void {
    this.#check('ccs_sim_run_until', us);
  }

  /** What was measured up to now: the whole run first, then the windows that were asked for. */
  metrics(): WindowMetrics[] {
    return this.#windows.map((window, index) => {
      const pointer = this.#core.handle('ccs_sim_metrics', this.#live(), index);
      const size = this.#core.call('ccs_sim_metrics_size', this.#live());
      const reader = new Reader(this.#core.doubles(pointer, size));
      const [beginUs, endUs] = [reader.next(), reader.next()];
      const jain = {
        jain: reader.next(),
        jainMean: reader.next(),
        jainAll: reader.next(),
        jainAllMean: reader.next(),
      };
      const forward = readPath(reader);
      const backward = readPath(reader);
      const flows = this.#names.map((name, flow) => readFlow(reader, flow, name));
      return { name: window.name, beginUs, endUs, forward, backward, flows, ...jain };
    });
  }

  /** The rows recorded since the last call, and forgets them. */
  drain(): TraceBatch[] {
    return drainRecorder(this.#core, this.#core.call('ccs_sim_recorder', this.#live()));
  }

  /** Frees the memory; no other call may follow. */
  destroy(): void {
    if (this.#handle !== 0) this.#core.call('ccs_sim_destroy', this.#handle);
    this.#handle = 0;
  }

  #live(): number {
    if (this.#handle === 0) throw new CoreError('this simulation has been destroyed');
    return this.#handle;
  }

  #check(name: string, ...args: number[]): void {
    this.#core.check(name, this.#live(), ...args);
  }
}

function common(
  flow: FlowOptions,
): [direction: number, startUs: number, stopUs: number, extraDelayUs: number] {
  const direction = DIRECTIONS.indexOf(flow.direction ?? 'forward');
  // The core takes NaN for "until the end".
  if (Number.isNaN(flow.stopUs))
    throw new CoreError('stopUs: expected a time after startUs, got NaN', 'stopUs');
  return [direction, flow.startUs ?? 0, flow.stopUs ?? NaN, flow.extraDelayUs ?? 0];
}

/** Refuses a name that the types do not allow but JavaScript or JSON may bring. */
function expectOneOf(field: string, known: readonly string[], value: string): void {
  if (!known.includes(value))
    throw new CoreError(`${field}: expected ${known.join(' or ')}, got ${value}`, field);
}

function tableIndex(name: TableName): number {
  const index = SCHEMA.tables.findIndex((table) => table.name === name);
  if (index >= 0) return index;
  const known = SCHEMA.tables.map((table) => table.name).join(', ');
  throw new CoreError(`trace.tables: expected some of ${known}; got ${name}`, 'trace.tables');
}

/** Puts where it happened before the field of an error. */
function inside(path: string, action: () => void): void {
  try {
    action();
  } catch (error) {
    if (!(error instanceof CoreError) || error.field === undefined) throw error;
    throw new CoreError(`${path}.${error.message}`, `${path}.${error.field}`);
  }
}
