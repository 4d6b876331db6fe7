/** The setup of a simulation: paths, flows, windows, and which rows it records. */
import type { ControllerChoice } from './controller_setup.js';
import type { Direction } from './direction.js';
import type { LinkOptions } from './link.js';
import type { TableName } from './schema.js';

/**
 * One direction of the network; its settings are those of a link. Without a capacity there is no bottleneck:
 * only loss, jitter, outages, delay and reordering. The default queue is DropTail with a limit of 300 ms.
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

/** Settings of a path that can change in the middle of a run; all but the delay require a bottleneck. */
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
 * Changes in the middle of a run. They take effect at `atUs`, after all events that are due then. Capacities
 * are changed by a `schedule` instead.
 */
export interface SimulationChange {
  atUs: number;
  forward?: PathChange;
  backward?: PathChange;
  /**
   * New parameters for the controller of a media flow (given by its number): a preset of the same controller, and
   * the values that differ from the preset.
   */
  controller?: { flow: number } & Pick<ControllerChoice, 'preset' | 'parameters'>;
}

/** In the core's order. */
export const FLOW_KINDS = ['media', 'tcp'] as const;

/** What media and TCP flows have in common. */
export interface FlowCommon {
  /** Shown in reports; default `media` or `tcp` with the flow's number. */
  name?: string;
  /** The direction of its data; acknowledgements and feedback go the other way. Default `forward`. */
  direction?: Direction;
  /** Default 0. */
  startUs?: number;
  /** Default: the end of the simulation. */
  stopUs?: number;
  /** Propagation delay of this flow in addition to the path's, each way. Default 0. */
  extraDelayUs?: number;
}

/** A video source with a pacer, whose rate a congestion controller sets. */
export interface MediaFlowOptions extends FlowCommon, ControllerChoice {
  kind: 'media';
  /** A preset of the component `media_source`: `vp8` has measured noise and lag. */
  sourcePreset?: string;
  /**
   * Parameters of the video source that differ from the preset, named as in the schema's component
   * `media_source`.
   */
  source?: Readonly<Record<string, number>>;
  /**
   * Simulates the call as a browser makes it, frame by frame through transforms, pacer, relay and data channel
   * (wasm/sim/live/live.md), instead of packet by packet; parameters are named as in the component `live_call` of
   * the schema.
   */
  live?: { preset?: string; parameters?: Readonly<Record<string, number>> };
  /** Times in which the source sends nothing; not allowed in a live call. */
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
  /** Default: the forward path's delay, and no bottleneck. */
  backward?: SimulatedLinkOptions;
  flows: readonly FlowOptions[];
  /** In time order. */
  changes?: readonly SimulationChange[];
  /** Windows to measure in addition to the whole run, whose window is called `run` and always comes first. */
  windows?: readonly WindowOptions[];
  /** Interval of the rates that Jain's index and the convergence time are computed from; default 500 ms. */
  rateIntervalUs?: number;
  /** A run that needs more events than this fails with an error; default 1e9. */
  maxEvents?: number;
  /** Which rows are recorded; by default none. */
  trace?: {
    tables: readonly TableName[];
    /** Interval between `rate` rows and between `queue` rows; default 200 ms. */
    intervalUs?: number;
  };
}
