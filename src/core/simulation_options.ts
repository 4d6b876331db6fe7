/** The options of a simulation: paths, flows, windows, and the rows to record. */
import type { ControllerChoice } from './controller_setup.js';
import type { Direction } from './direction.js';
import type { LinkOptions } from './link.js';
import type { TableName } from './schema.js';

/**
 * One direction of the network, with the settings of a link. Without a capacity there is no bottleneck, and the
 * path only has loss, jitter, outages, delay and reordering. The default queue is DropTail with a limit of 300
 * ms.
 */
export interface SimulatedLinkOptions extends Omit<
  LinkOptions,
  'capacityBps' | 'crossTraffic' | 'crossRttUs' | 'seed'
> {
  /** From 1 bit/s to 100 Gbit/s. */
  capacityBps?: number;
  /** Whether the jitter is added after the bottleneck and the propagation delay. Default false: before the queue. */
  jitterBehindQueue?: boolean;
}

/** The settings of a path that can change during a run. All except the delay require a bottleneck. */
export type PathChange = Partial<
  Pick<
    SimulatedLinkOptions,
    | 'queue'
    | 'bottleneck'
    | 'oneWayDelayUs'
    | 'lossRatio'
    | 'burstLossPackets'
    | 'jitterUs'
    | 'outages'
    | 'reordering'
  >
>;

/**
 * Changes during a run. They take effect at `atUs`, after all events at that time. To change the capacity, use
 * the link's `schedule`.
 */
export interface SimulationChange {
  atUs: number;
  forward?: PathChange;
  backward?: PathChange;
  /**
   * New parameters for the controller of media flow `flow`: a preset of the same controller (default: the flow's
   * own), and the values that differ from the preset.
   */
  controller?: { flow: number } & Pick<ControllerChoice, 'preset' | 'parameters'>;
}

/** The kinds of flows, in the order of their numbers in the core. */
export const FLOW_KINDS = ['media', 'tcp'] as const;

/** The options that media and TCP flows share. */
export interface FlowCommon {
  /** The flow's name in reports. Default: `media` or `tcp`, followed by the flow's number. */
  name?: string;
  /**
   * The direction of the flow's data. Acknowledgements and feedback take the opposite direction. Default
   * `forward`.
   */
  direction?: Direction;
  /** Default 0. */
  startUs?: number;
  /** Default: the end of the simulation. */
  stopUs?: number;
  /** Additional propagation delay for this flow only, in both directions. Default 0. */
  extraDelayUs?: number;
}

/** A video source with a pacer. A congestion controller sets its rate. */
export interface MediaFlowOptions extends FlowCommon, ControllerChoice {
  kind: 'media';
  /**
   * A preset of the component `media_source`. The preset `vp8` has the noise and the lag that were measured with
   * a VP8 encoder.
   */
  sourcePreset?: string;
  /** Parameters of the component `media_source` that differ from the preset, by their names in the schema. */
  source?: Readonly<Record<string, number>>;
  /**
   * Simulates the flow like a call in a browser: frame by frame, through transforms, pacer, relay and data
   * channel (wasm/sim/live/live.md). Default: packet by packet. The parameters are those of the component
   * `live_call`, by their names in the schema.
   */
  live?: { preset?: string; parameters?: Readonly<Record<string, number>> };
  /** Periods during which the source sends nothing. Not allowed with `live`. */
  pauses?: readonly { fromUs: number; toUs: number }[];
}

/**
 * A TCP connection. By default, it always has data to send. With `short`, it sends short files with pauses
 * (RFC 8867, 5.7).
 */
export interface TcpFlowOptions extends FlowCommon {
  kind: 'tcp';
  congestionControl?: 'cubic' | 'new_reno';
  /** A preset of the component `tcp`. */
  preset?: string;
  /** Parameters of the component `tcp` that differ from the preset, by their names in the schema. */
  parameters?: Readonly<Record<string, number>>;
  /** Sends files with uniformly distributed sizes, and exponentially distributed pauses between them. */
  short?: { minBytes: number; maxBytes: number; idleMeanUs: number };
}

export type FlowOptions = MediaFlowOptions | TcpFlowOptions;

/** A time window over which metrics are computed. */
export interface WindowOptions {
  name: string;
  beginUs: number;
  endUs: number;
}

export interface SimulationOptions {
  durationUs: number;
  /** An integer from 0 to 2^53 - 1. Default 1. */
  seed?: number;
  forward: SimulatedLinkOptions;
  /** Default: a path without a bottleneck and with the delay of the forward path. */
  backward?: SimulatedLinkOptions;
  flows: readonly FlowOptions[];
  /** In time order. */
  changes?: readonly SimulationChange[];
  /** Additional windows to measure. The first window is always the whole run, with the name `run`. */
  windows?: readonly WindowOptions[];
  /**
   * The length of a rate interval. Default 500 ms. Jain's index and the convergence time are computed from the
   * rates in these intervals.
   */
  rateIntervalUs?: number;
  /**
   * The limit of a run's work. The work is the number of events, plus the packets sent, plus the flows
   * examined after each rate interval and each interval of the trace. A run that reaches the limit fails.
   * Default 1e9.
   */
  maxEvents?: number;
  /** The rows to record. Default: none. */
  trace?: {
    tables: readonly TableName[];
    /** The interval of the rows in the tables `rate`, `throughput` and `queue`. Default 200 ms. */
    intervalUs?: number;
  };
}
