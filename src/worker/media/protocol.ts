/**
 * The messages between pages and media workers. Commands go through comlink, so that one interface,
 * MediaWorkerApi, defines the commands with their argument and result types. The reports of the worker go, in
 * order, through the port that the page passes to `start`.
 */
import type { ControllerFault, LinkOptions, TraceBatch, TraceEvent } from '../../core/index.js';
import type { SlotConfig } from '../slot.js';
import type { EncodedFrame } from './encoded.js';

export type Side = 'sender' | 'receiver';

/** The options of a transform. */
export interface TransformOptions {
  side: Side;
  /**
   * Whether the transform replaces a transform that failed. Frames were then lost, and a key frame is needed.
   */
  late: boolean;
}

/** Settings of one side's pipeline. */
export interface MediaConfig {
  side: Side;
  /** The zero point of all times, in milliseconds since the Unix epoch. */
  originEpochMs: number;
  /**
   * The controller of flow 0. It is in charge of the call, except in mode `observe`, in which the browser's own
   * controller decides the bitrate.
   */
  controller: SlotConfig;
  /** Shadows: controllers that are given the same input, but whose results are only recorded. */
  shadows: readonly SlotConfig[];
  /** The URL of the core's module. Default: the module beside the worker's own code. */
  wasmUrl?: string;
  /** Sender: a bottleneck inside the transform, at frame granularity. */
  bottleneck?: LinkOptions;
  /**
   * Sender: whether this side records parameter changes in the trace. A receiver always records them, between
   * the rows before and after the change, so that a replay repeats them exactly. In a page with both sides,
   * the receiver's record is enough.
   */
  recordsChanges?: boolean;
  /** Sender: seconds between key frames. */
  keyFrameIntervalS?: number;
}

/** Cumulative wire counters of the receiver (payload, headers and 28 bytes of IP and UDP per packet). */
export interface InboundReport {
  /** On the page's clock. */
  timeUs: number;
  packetsReceived: number;
  packetsLost: number;
  bytesReceived: number;
}

/**
 * Cumulative wire bytes sent, and measurements by the browser. A value is NaN if the browser does not report
 * it.
 */
export interface SentReport {
  sentBytes: number;
  rttUs: number;
  browserEstimateBps: number;
}

/**
 * Totals of the far side's receiver reports (RTCP), as the sender's browser reports them. Used when feedback is
 * missing.
 */
export interface ReceiverReport {
  packetsSent: number;
  packetsLost: number;
}

/** Commands to a media worker. If a command fails, its promise rejects with the worker's own error. */
export interface MediaWorkerApi {
  /** Proves that the worker runs. Resolves to the time on its clock, in milliseconds since the Unix epoch. */
  ping(): number;
  /**
   * Loads the core and starts control. Until this resolves, and after a rejection, frames pass without control;
   * a receiver still removes trailers.
   */
  start(config: MediaConfig, port: MessagePort): Promise<void>;
  /** Hands over insertable streams, in browsers without script transforms. */
  attachStreams(
    side: Side,
    readable: ReadableStream<EncodedFrame>,
    writable: WritableStream<EncodedFrame>,
  ): void;
  inbound(report: InboundReport): void;
  sent(report: SentReport): void;
  feedback(bytes: ArrayBuffer): void;
  receiverReport(report: ReceiverReport): void;
  setParameter(name: string, value: number): void;
  setPreset(name: string): void;
  setShadows(shadows: readonly SlotConfig[]): Promise<void>;
  setBottleneck(options: Partial<LinkOptions>): void;
  /**
   * Requests a key frame. A receiver's worker requests it from the far side, a sender's worker from the
   * encoder.
   */
  requestKeyFrame(): void;
  /**
   * Ends control: sends the rows recorded so far, and lets frames pass without control. A receiver still
   * removes trailers.
   */
  passThrough(): void;
}

/** The worker's load and error counts, sent with each tick. */
export interface WorkerStats {
  /** Frames since the start. */
  frames: number;
  /** How long this worker has worked on frames, messages and ticks since the start, in milliseconds. */
  busyMs: number;
  /** Receiver: frames whose trailer was missing or damaged. */
  framesWithoutTrailer: number;
  /** Receiver: frames without the browser's `receiveTime`. */
  framesWithoutReceiveTime: number;
  /** Arrivals, counters and reports that the core refused. They were dropped, and the call continued. */
  rowsRefused: number;
  /** The largest lateness of a tick within the last whole second, in milliseconds; NaN during the first second. */
  tickLateMs: number;
}

/** Reports of a media worker, in the order in which things happened. */
export type WorkerEvent =
  /**
   * All rows since the last `batches` report: first inputs, in the order in which they were consumed, then
   * outputs.
   */
  | { kind: 'batches'; batches: TraceBatch[] }
  | { kind: 'event'; event: TraceEvent }
  | { kind: 'feedback'; bytes: ArrayBuffer }
  | { kind: 'target'; targetBps: number; rttUs: number; source: 'feedback' | 'receiver-reports' | 'none' }
  /** Asks the page to request a key frame from the encoder. */
  | { kind: 'key-frame' }
  | { kind: 'fault'; message: string }
  /**
   * The core refused a row, and the call continues without it. Only the first such row is reported; the
   * statistics count all of them.
   */
  | { kind: 'row-refused'; message: string }
  /**
   * A half of a controller failed, and the call continues. If it was in charge, its last good rate remains
   * the target rate. If it was a shadow, it is removed.
   */
  | { kind: 'controller-fault'; fault: ControllerFault }
  | { kind: 'tick'; stats: WorkerStats };

/** A worker reports at least this often. Silence means that it is stuck or dead. */
export const TICK_MS = 100;
