/** The setup of a simulation: paths, flows, windows, and which rows it records. */
import type { ControllerChoice } from './controller_setup.js';
import type { Direction } from './direction.js';
import type { LinkOptions } from './link.js';
import type { TableName } from './schema.js';

/**
 * One direction of the network, with the settings of a link. Without a capacity there is no bottleneck: the path
 * then has only loss, jitter, outages, delay and reordering. The default queue is DropTail with a limit of 300 ms.
 */
export interface SimulatedLinkOptions extends Omit<
  LinkOptions,
  'capacityBps' | 'crossTraffic' | 'crossRttUs' | 'seed'
> {
  /** 1 bit/s to 100 Gbit/s. */
  capacityBps?: number;
  /**
   * Whether jitter acts after the bottleneck and the propagation delay instead of before the queue. Default
   * false.
   */
  jitterBehindQueue?: boolean;
}

/** Settings of a path that can change in the middle of a run. All of them except the delay require a bottleneck. */
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
 * Changes in the middle of a run. They are made at `atUs`, after all events of that time. The capacity is
 * changed by the link's `schedule` instead.
 */
export interface SimulationChange {
  atUs: number;
  forward?: PathChange;
  backward?: PathChange;
  /**
   * New parameters for the controller of the media flow with this number: a preset of the same controller, and the
   * values that differ from the preset.
   */
  controller?: { flow: number } & Pick<ControllerChoice, 'preset' | 'parameters'>;
}

/** In the order of their numbers in the core. */
export const FLOW_KINDS = ['media', 'tcp'] as const;

/** Options that media and TCP flows have in common. */
export interface FlowCommon {
  /** The name in reports. Default: `media` or `tcp` with the flow's number. */
  name?: string;
  /**
   * The direction in which the flow sends its data; acknowledgements and feedback go the other way. Default
   * `forward`.
   */
  direction?: Direction;
  /** Default 0. */
  startUs?: number;
  /** Default: the end of the simulation. */
  stopUs?: number;
  /**
   * A propagation delay that is added to that of the path, for this flow only and in both directions. Default 0.
   */
  extraDelayUs?: number;
}

/** A video source with a pacer. A congestion controller sets the rate of the source. */
export interface MediaFlowOptions extends FlowCommon, ControllerChoice {
  kind: 'media';
  /**
   * A preset of the component `media_source`. The preset `vp8` has the noise and the lag of a measured VP8 encoder.
   */
  sourcePreset?: string;
  /**
   * Parameters of the video source that differ from the preset, named as in the schema's component
   * `media_source`.
   */
  source?: Readonly<Record<string, number>>;
  /**
   * Simulates the flow as a call in a browser: frame by frame, through transforms, pacer, relay and data
   * channel (wasm/sim/live/live.md). By default, the flow is simulated packet by packet. The names of the
   * parameters are those of the component `live_call` of the schema.
   */
  live?: { preset?: string; parameters?: Readonly<Record<string, number>> };
  /** Periods in which the source sends nothing; not allowed in a live call. */
  pauses?: readonly { fromUs: number; toUs: number }[];
}

/**
 * A TCP connection. It always has data to send, or, with `short`, it sends short files with pauses (RFC 8867 5.7).
 */
export interface TcpFlowOptions extends FlowCommon {
  kind: 'tcp';
  congestionControl?: 'cubic' | 'new_reno';
  /** A preset of the component `tcp`. */
  preset?: string;
  /** Parameters of the component `tcp` of the schema. */
  parameters?: Readonly<Record<string, number>>;
  /** Sends files of uniformly distributed sizes, with exponentially distributed pauses between them. */
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
  /** An integer from 0 to 2^53 - 1; default 1. */
  seed?: number;
  forward: SimulatedLinkOptions;
  /** Default: a path without a bottleneck, with the same delay as the forward path. */
  backward?: SimulatedLinkOptions;
  flows: readonly FlowOptions[];
  /** In time order. */
  changes?: readonly SimulationChange[];
  /** Further windows to measure. The whole run is always measured, as the first window, which is called `run`. */
  windows?: readonly WindowOptions[];
  /**
   * The length of a rate interval; default 500 ms. Jain's index and the convergence time are computed from the
   * rates in these intervals.
   */
  rateIntervalUs?: number;
  /** If a run needs more events than this, it fails with an error; default 1e9. */
  maxEvents?: number;
  /** Which rows are recorded; by default none. */
  trace?: {
    tables: readonly TableName[];
    /** The interval between rows of the table `rate`, and between rows of the table `queue`; default 200 ms. */
    intervalUs?: number;
  };
}
