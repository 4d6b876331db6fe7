/**
 * The packet simulator of the core (wasm/sim): media and TCP flows over a forward and a backward path,
 * in virtual time. The same options and seed give the same bytes natively, in Node and in browsers.
 */
import type { CapacityStep, Bottleneck, QueueOptions } from './link.js';
import type { TableName } from './schema.js';

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
  /** Parameters of the video source: names of the component `media_source` of the schema. */
  source?: Readonly<Record<string, number>>;
  /** Times in which the source sends nothing. */
  pauses?: readonly { fromUs: number; toUs: number }[];
}

/** A TCP connection that always has data, or sends short files with pauses (RFC 8867 5.7). */
export interface TcpFlowOptions extends FlowCommon {
  kind: 'tcp';
  congestionControl?: 'cubic' | 'new_reno';
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
