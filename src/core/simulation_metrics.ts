/** Reads the measurements of a simulation, which the core returns as a list of numbers. */
import { DISTRIBUTION, SIM_FLOW, SIM_PATH, SIM_WINDOW } from './abi.generated.js';
import { DROP_REASONS } from './link.js';
import { CoreError } from './load.js';
import { DIRECTIONS, type Direction } from './direction.js';
import { FLOW_KINDS, type WindowOptions } from './simulation_options.js';

/**
 * A distribution. Percentiles are nearest-rank, with a resolution of 0.2 %. If `count` is 0, all other fields are
 * NaN.
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

/** The measurements of one flow within a window. All byte counts are on the wire. */
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
  /** lostBytes / sentBytes; 0 if nothing was sent. */
  lossRatio: number;
  sendRateBps: number;
  receiveRateBps: number;
  /** The rate of the payload, without duplicate bytes. */
  goodputBps: number;
  /** The mean of the controller's target rates at the ends of the rate intervals. NaN for TCP. */
  targetRateBps: number;
  /** The standard deviation of the received rates in the rate intervals (see `rateIntervalUs`). */
  receiveRateSdBps: number;
  /**
   * The fraction of the rate intervals at whose end GCC's loss-based rate A_s was below its delay-based rate A_r.
   * 0 for other controllers, NaN for TCP.
   */
  lossBoundShare: number;
  /** The received rate divided by the capacity, averaged over the rate intervals. NaN without a bottleneck. */
  capacityShareMean: number;
  /** The number of displayable frames of a live call. */
  frames: number;
  /**
   * `freezes`: how often the video of a live call froze (freezeCount of webrtc-stats, and a freeze of a second or more
   * that goes on). `longestFreezeUs`: the length of the longest freeze.
   */
  freezes: number;
  longestFreezeUs: number;
  /**
   * The time from the start of the flow until its received rate first reaches 90 % of its share of the
   * capacity or, if that is lower, 90 % of the flow's highest rate. NaN if the rate never does.
   */
  convergenceUs: number;
  /**
   * RTT - RTT_min of RTCP probes, in µs (section V of the ToN paper, section 3 of the AQM paper; see
   * src/papers/README.md). Only for media flows.
   */
  probeQueueDelayUs: Distribution;
  /** The RTT of the same probes, in µs. */
  rttUs: Distribution;
  /** The waiting time of each packet at the bottleneck, in µs. */
  queueDelayUs: Distribution;
  /**
   * The one-way delay of each packet minus the propagation delay, in µs (section III of the CMP paper, section
   * III-A of the LCC paper). Only for media flows.
   */
  owdQueueDelayUs: Distribution;
  /** Like `owdQueueDelayUs`, but measured from the time of encoding. So it includes the waiting time in the pacer. */
  e2eQueueDelayUs: Distribution;
}

export interface PathMetrics {
  /** The mean capacity over the window. NaN without a bottleneck. */
  capacityBps: number;
  /**
   * The bytes that the path delivered, divided by the bytes that the capacity allowed. NaN without a
   * bottleneck.
   */
  utilisation: number;
  /** The waiting time of all packets at the bottleneck, in µs. */
  queueDelayUs: Distribution;
  deliveredPackets: number;
  deliveredBytes: number;
  /** The number of dropped packets, by their reason in `DROP_REASONS`. */
  drops: Readonly<Record<string, number>>;
}

export interface WindowMetrics extends WindowOptions {
  forward: PathMetrics;
  backward: PathMetrics;
  flows: FlowMetrics[];
  /** Jain's fairness index of the media flows' received rates over the window. NaN without media flows. */
  jain: number;
  /**
   * The mean of Jain's index over the rate intervals. The index of an interval covers the media flows that were
   * active during it.
   */
  jainMean: number;
  /** Like `jain` and `jainMean`, but over all flows of the forward path, including TCP. */
  jainAll: number;
  jainAllMean: number;
}

/** The numbers of a row, by the names that the core defines. */
type Row<Names extends Readonly<Record<string, 'number' | 'distribution'>>> = {
  [Name in keyof Names]: Names[Name] extends 'distribution' ? Distribution : number;
};

/** Reads a flat list of numbers from its beginning. */
class Reader {
  #at = 0;
  constructor(readonly values: Float64Array) {}

  next(): number {
    const value = this.values[this.#at];
    if (value === undefined)
      throw new CoreError('the core has fewer metrics than these bindings expect; rebuild both');
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

/** The metrics of one window. `names` contains the flows' names; undefined for a flow without a name. */
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
