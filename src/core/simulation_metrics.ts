/** Reads the measurements of a simulation from the core, which returns them as a list of numbers. */
import { DISTRIBUTION, SIM_FLOW, SIM_PATH, SIM_WINDOW } from './abi.generated.js';
import { DROP_REASONS } from './link.js';
import { CoreError } from './load.js';
import { DIRECTIONS, type Direction } from './direction.js';
import { FLOW_KINDS, type WindowOptions } from './simulation_options.js';

/**
 * A distribution. Percentiles are taken by the nearest rank, with a resolution of 0.2 %. If `count` is 0, all other
 * fields are NaN.
 */
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

/** The measurements of one flow within a window. Bytes are those on the wire. */
export interface FlowMetrics {
  flow: number;
  name: string;
  kind: 'media' | 'tcp';
  direction: Direction;
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
  /** The rate of the payload, without the bytes that arrived a second time. */
  goodputBps: number;
  /** Time average of the rate that the controller requested; NaN for TCP. */
  targetRateBps: number;
  /** Standard deviation of the rates received in the rate intervals (see `rateIntervalUs`). */
  receiveRateSdBps: number;
  /**
   * The share of the rate intervals that ended with GCC's loss-based rate A_s below its delay-based rate A_r.
   * 0 for other controllers, NaN for TCP.
   */
  lossBoundShare: number;
  /**
   * The mean, over the rate intervals, of the received rate divided by the capacity in that interval. NaN without a
   * bottleneck.
   */
  capacityShareMean: number;
  /** Frames of a live call that could be shown. */
  frames: number;
  /**
   * `freezes`: how often the picture of a live call froze (freezeCount of webrtc-stats). `longestFreezeUs`: the
   * length of the longest freeze, us.
   */
  freezes: number;
  longestFreezeUs: number;
  /**
   * The time from the start of the flow until its received rate first reaches 90 % of its share of the capacity;
   * NaN if it never does.
   */
  convergenceUs: number;
  /**
   * RTT - RTT_min of RTCP probes, us (papers ToN, V, and AQM, 3; see src/papers/README.md). For media flows
   * only.
   */
  probeQueueDelayUs: Distribution;
  /** RTT of the same probes. */
  rttUs: Distribution;
  /** How long each packet waited at the bottleneck, us. */
  queueDelayUs: Distribution;
  /**
   * One-way delay of each packet minus the propagation delay, us (papers CMP, III, and LCC, III-A). For media
   * flows only.
   */
  owdQueueDelayUs: Distribution;
  /** Like `owdQueueDelayUs`, but measured from the time of encoding, so it includes the wait in the pacer. */
  e2eQueueDelayUs: Distribution;
}

export interface PathMetrics {
  /** Mean capacity over the window; NaN without a bottleneck. */
  capacityBps: number;
  /**
   * The bytes that passed the bottleneck, divided by the bytes that the capacity allowed; NaN without a bottleneck.
   */
  utilisation: number;
  /** Waiting time of all packets, us. */
  queueDelayUs: Distribution;
  deliveredPackets: number;
  deliveredBytes: number;
  /** The number of packets dropped for each reason of `DROP_REASONS`. */
  drops: Readonly<Record<string, number>>;
}

export interface WindowMetrics extends WindowOptions {
  forward: PathMetrics;
  backward: PathMetrics;
  flows: FlowMetrics[];
  /** Jain's fairness index of the media flows' received rates over the window; NaN without media flows. */
  jain: number;
  /**
   * The mean of Jain's index over the rate intervals. In each interval, the index covers the media flows that were
   * active in it.
   */
  jainMean: number;
  /**
   * `jainAll` and `jainAllMean`: like `jain` and `jainMean`, but over all flows of the forward path, including TCP.
   */
  jainAll: number;
  jainAllMean: number;
}

/** The numbers of a row, by the names that the core declares for them. */
type Row<Names extends Readonly<Record<string, 'number' | 'distribution'>>> = {
  [Name in keyof Names]: Names[Name] extends 'distribution' ? Distribution : number;
};

/** Reads flat numbers, one after the other. */
class Reader {
  #at = 0;
  constructor(readonly values: Float64Array) {}

  next(): number {
    const value = this.values[this.#at];
    if (value === undefined)
      throw new CoreError('the core returned fewer metrics than these bindings expect; rebuild both');
    this.#at += 1;
    return value;
  }

  row<Names extends Readonly<Record<string, 'number' | 'distribution'>>>(names: Names): Row<Names> {
    const read = Object.entries(names).map(([name, kind]) => [
      name,
      kind === 'number' ? this.next() : this.row(DISTRIBUTION),
    ]);
    return Object.fromEntries(read) as Row<Names>;
  }
}

function readPath(reader: Reader): PathMetrics {
  const path = reader.row(SIM_PATH);
  const drops = DROP_REASONS.map((reason): [string, number] => [reason ?? 'none', reader.next()]);
  return { ...path, drops: Object.fromEntries(drops.slice(1)) };
}

function readFlow(reader: Reader, flow: number, given: string | undefined): FlowMetrics {
  const row = reader.row(SIM_FLOW);
  const kind = FLOW_KINDS[row.kind] ?? 'media';
  const direction = DIRECTIONS[row.direction] ?? 'forward';
  return { flow, name: given ?? `${kind} ${flow}`, ...row, kind, direction };
}

/** The metrics of one window. `names` contains the name of each flow, undefined where none was given. */
export function readWindow(
  values: Float64Array,
  window: string,
  names: readonly (string | undefined)[],
): WindowMetrics {
  const reader = new Reader(values);
  const { beginUs, endUs, ...jain } = reader.row(SIM_WINDOW);
  const forward = readPath(reader);
  const backward = readPath(reader);
  const flows = names.map((name, flow) => readFlow(reader, flow, name));
  return { name: window, beginUs, endUs, forward, backward, flows, ...jain };
}
