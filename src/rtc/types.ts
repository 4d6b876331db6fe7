/** What a call is asked for and what it says of itself. */
import type { ControllerFault, ControllerName, LinkOptions, TraceBatch, TraceEvent } from '../core/index.js';
import type { MachineState } from '../machine/index.js';
import type { EncoderCounters } from './stats.js';
import type { Side, WorkerStats } from '../worker/media/protocol.js';

/**
 * Who is in charge of the bitrate. `observe`: the browser's own controller, ccscope only looks
 * (frames of our own calls still carry the timing trailer). `cap`: ccscope limits the encoder
 * under the browser's own estimate. `control`: the browser's estimator is taken out of the way.
 */
export type Mode = 'observe' | 'cap' | 'control';

/** ICE user name fragments (RFC 8839, 5.4) of both sides: `a` has the sender's, `b` the receiver's. */
export interface PeerUfrags {
  a: readonly string[];
  b: readonly string[];
}

/** A relay between the two sides: the sender sends to `a`, the receiver to `b`. */
export interface Relay {
  a: RelayAddress;
  b: RelayAddress;
  /** Told whose packets the relay is for, by the side that sends, once both descriptions are known. */
  expect?(ufrags: PeerUfrags): void;
}

/** A UDP socket of the relay. */
export interface RelayAddress {
  address: string;
  port: number;
}

/** A controller of a call. */
export interface LiveController {
  /** Default: the one that `preset` is one of, else `gcc`. */
  controller?: ControllerName;
  /** Default: the controller's preset for calls. */
  preset?: string;
  /** Values by name that differ from the preset's. */
  parameters?: Readonly<Record<string, number>>;
  /** Instead of all this, a user's: a module whose default export is a UserController, or a .wasm. */
  url?: string;
  /** What messages call it; default: its preset, or the end of its address. */
  name?: string;
}

/** A controller that is fed with a call's timing and draws its rate, but is not obeyed. */
export interface ShadowController extends LiveController {
  /** The flow of its rows in the trace, above 0 and its own; default: its place in the list, from 1 on. */
  flow?: number;
}

/** A way to the other page, such as a WebSocket room. Messages must be JSON-serialisable. */
export interface Signalling {
  send(data: unknown): void;
  /** Registers the one listener for messages of the other page. */
  onmessage(listener: (data: unknown) => void): void;
}

/** One sentence on what happened, one on what to do. */
export interface Notice {
  level: 'info' | 'warning' | 'error';
  code: string;
  message: string;
  fix: string;
}

export interface CallStatus {
  phase: 'connecting' | 'connected' | 'failed' | 'closed';
  requestedMode: Mode;
  /** `control` only once the browser's estimate was seen at the floor; see `notices` for why not. */
  effectiveMode: Mode;
  /** What is true now and worth knowing; at most one a code. */
  notices: readonly Notice[];
  /** Where send times come from: the trailer, or (shadow mode) the frames' RTP timestamps. */
  sendTimeSource: 'trailer' | 'rtp_timestamp';
  /** Where arrival times come from: the browser's `receiveTime`, or the transform's callback. */
  arrivalTimeSource: 'receiveTime' | 'callback';
  bottleneck: 'shaper' | 'in-page' | 'none';
  /** The bitrate last asked of the encoder; NaN in `observe` mode and before the first. */
  encoderTargetBps: number;
  workers: Partial<Record<Side, WorkerStats>>;
  /** Sides whose worker died: their frames pass uncontrolled through another one. Only a new call has control back. */
  deadWorkers: readonly Side[];
  /** Halves of controllers that failed while the call went on. */
  controllerFaults: readonly ControllerFault[];
  /** Whether this machine is too busy for the call; null while nobody watches it: before it is connected, and with attachments. */
  machine: MachineState | null;
}

/** Where the worker and the core's module are, when not beside this module. */
export interface AssetUrls {
  workerUrl?: string | URL;
  wasmUrl?: string | URL;
}

/** What every attachment needs. Bitrates are of the wire where the controller sees it. */
export interface ControlOptions extends AssetUrls {
  mode: Mode;
  /** Flow 0 of the trace; in charge according to `mode`. Default: `gcc`. */
  controller?: LiveController;
  /** Controllers that only watch. */
  shadows?: readonly ShadowController[];
  minBitrateBps: number;
  maxBitrateBps: number;
  startBitrateBps: number;
  /** Zero of every time in traces, in milliseconds of the Unix epoch. */
  originEpochMs: number;
  onTrace(batch: TraceBatch, side: Side): void;
  onEvent(event: TraceEvent): void;
  onStatus(status: CallStatus): void;
}

/** Video codecs that a call can prefer: their frames may carry the timing trailer. */
export type VideoCodec = 'vp8' | 'vp9';

export interface CallOptions extends ControlOptions {
  /** `loopback`: both peers in this page, each with a worker of its own. */
  role: 'loopback' | 'send' | 'receive';
  /** The video to send; needed by `loopback` and `send`. */
  track?: MediaStreamTrack;
  /** Preferred for the video; default `vp8`, whose rate control follows its target without key frames. */
  codec?: VideoCodec;
  /**
   * Sent beside the video, in the same connection (Opus). Its packets share the link with the video's, but
   * nothing of it is counted for the controller: received rate and losses are those of the video's stream,
   * as the target is the video encoder's. To the controller audio is cross traffic, which it meets as delay.
   */
  audioTrack?: MediaStreamTrack;
  /** A shaped link: the sender sends to socket `a`, the receiver to socket `b`. */
  relay?: Relay;
  /** A bottleneck inside the sender's transform, at frame granularity; not together with `relay`. */
  bottleneck?: LinkOptions;
  /** Needed by `send` and `receive`. */
  signalling?: Signalling;
  /** What the track's source was asked for, in frames per second; default: what the track says. */
  sourceFps?: number;
  /** Asks the encoder for a key frame at this interval, in seconds. */
  keyFrameIntervalS?: number;
}

/** What is sent and the receiving side's picture, as the browser counts them; NaN or null where it does not say. */
export interface MediaStats {
  fps: number;
  framesDecoded: number;
  freezeCount: number;
  totalFreezesDurationS: number;
  longestFreezeS: number;
  width: number;
  height: number;
  /** What the encoder is given. */
  sourceWidth: number;
  sourceHeight: number;
  sourceFps: number;
  /** What the sender's encoder does; null in a page that sends nothing. */
  encoder: EncoderCounters | null;
  /** Lower-case, as `vp8`. */
  codec: string | null;
  /** Cumulative, as on the wire; NaN without audio. */
  audioBytesReceived: number;
  /** The browser's own estimate at the sender (`availableOutgoingBitrate`). */
  browserEstimateBps: number;
  rttMs: number;
}

export interface Call {
  /** The received video, and the audio beside it; null for role `send`. */
  readonly remoteStream: MediaStream | null;
  readonly status: CallStatus;
  /** Changes a parameter of the controller in charge, on both halves that this page has. Rejects with a CoreError on a bad value. */
  setParameter(name: string, value: number): Promise<void>;
  setPreset(name: string): Promise<void>;
  /** Replaces the controllers that only watch, during the call. Rejects with a CoreError for what there is not. */
  setShadows(shadows: readonly ShadowController[]): Promise<void>;
  /** Changes the in-page bottleneck; rejects when there is none. */
  setBottleneck(options: Partial<LinkOptions>): Promise<void>;
  /** Tells how late a shaper outside of the page sent in the last second (95th percentile). */
  shaperLate(p95Ms: number): void;
  requestKeyFrame(): void;
  /** Gives the encoder its former settings back and lets frames pass untouched; the call goes on. */
  detach(): Promise<void>;
  close(): Promise<void>;
  mediaStats(): Promise<MediaStats>;
}
