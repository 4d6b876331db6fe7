/** The options of a call, and what it reports about itself. */
import type { ControllerFault, ControllerName, LinkOptions, TraceBatch, TraceEvent } from '../core/index.js';
import type { MachineState } from '../machine/index.js';
import type { EncoderCounters } from './stats.js';
import type { Side, WorkerStats } from '../worker/media/protocol.js';

/**
 * Who decides the bitrate. `observe`: the browser's own controller decides, and ccscope only watches (frames of
 * calls that ccscope makes still carry the timing trailer). `cap`: the encoder uses the lower of the browser's
 * own estimate and ccscope's limit. `control`: the browser's estimator is disabled.
 */
export type Mode = 'observe' | 'cap' | 'control';

/** ICE username fragments (RFC 8839, 5.4): those of the sender in `a`, those of the receiver in `b`. */
export interface PeerUfrags {
  a: readonly string[];
  b: readonly string[];
}

/** A relay between the two sides: the sender sends to `a`, the receiver to `b`. */
export interface Relay {
  a: RelayAddress;
  b: RelayAddress;
  /** Called by the sending side once both descriptions are known: tells the relay whose packets to accept. */
  expect?(ufrags: PeerUfrags): void;
}

/** A UDP socket of the relay. */
export interface RelayAddress {
  address: string;
  port: number;
}

/** A controller of a call. */
export interface LiveController {
  /** Default: the controller that `preset` belongs to, else `gcc`. */
  controller?: ControllerName;
  /** Default: the controller's preset for calls. */
  preset?: string;
  /** Values that differ from the preset's, by name. */
  parameters?: Readonly<Record<string, number>>;
  /**
   * The URL of a user's controller, used instead of `controller` and `preset`: a module whose default export
   * is a UserController, or a .wasm file.
   */
  url?: string;
  /** The controller's name in messages; default: its preset, or the end of its URL. */
  name?: string;
}

/** A controller that only watches: it receives the call's timing, and its rate is drawn but not applied. */
export interface ShadowController extends LiveController {
  /**
   * The flow number of its rows in the trace, above 0 and unique. Default: its position in the list, counted from 1.
   */
  flow?: number;
}

/** A channel to the other page, such as a WebSocket room. Messages must be JSON-serialisable. */
export interface Signalling {
  send(data: unknown): void;
  /** Registers the only listener for messages from the other page. */
  onmessage(listener: (data: unknown) => void): void;
}

/** A message for the user: one sentence on what happened (`message`), and one on what to do (`fix`). */
export interface Notice {
  level: 'info' | 'warning' | 'error';
  code: string;
  message: string;
  fix: string;
}

export interface CallStatus {
  phase: 'connecting' | 'connected' | 'failed' | 'closed';
  requestedMode: Mode;
  /**
   * The mode that is in effect now. Even if `control` was requested, it is in effect only while the browser's estimate
   * is at least about the default floor (see `TakeoverOptions`). Otherwise, `notices` contains the reason after a few
   * seconds.
   */
  effectiveMode: Mode;
  /** Messages for the user that apply now; at most one notice per code. */
  notices: readonly Notice[];
  /** Where send times come from: the trailer, or (shadow mode) the frames' RTP timestamps. */
  sendTimeSource: 'trailer' | 'rtp_timestamp';
  /** Where arrival times come from: the browser's `receiveTime`, or the transform's callback. */
  arrivalTimeSource: 'receiveTime' | 'callback';
  bottleneck: 'shaper' | 'in-page' | 'none';
  /**
   * The latest bitrate limit of the encoder that ccscope set and the browser accepted. NaN in `observe` mode,
   * before the first limit, and after `detach`.
   */
  encoderTargetBps: number;
  workers: Partial<Record<Side, WorkerStats>>;
  /**
   * Sides whose worker died. A new worker, if one could be created, passes their frames through without
   * controllers. Only a new call restores control.
   */
  deadWorkers: readonly Side[];
  /**
   * Faults of controllers during the call. A fault concerns one half of a controller, at the sender or at the
   * receiver.
   */
  controllerFaults: readonly ControllerFault[];
  /**
   * Whether this machine is too busy for the call. Null before the call is connected. Always null for attachments,
   * which do not watch the machine.
   */
  machine: MachineState | null;
}

/** The URLs of the worker and the core's module, unless they are beside this module. */
export interface AssetUrls {
  workerUrl?: string | URL;
  wasmUrl?: string | URL;
}

/** The options of attachments and calls. Bitrates are rates on the wire, as the controller counts them. */
export interface ControlOptions extends AssetUrls {
  mode: Mode;
  /** The controller in charge, flow 0 of the trace. What it may change depends on `mode`. Default: `gcc`. */
  controller?: LiveController;
  /** Controllers that only watch. */
  shadows?: readonly ShadowController[];
  minBitrateBps: number;
  maxBitrateBps: number;
  startBitrateBps: number;
  /** The zero of all times in traces, in milliseconds of the Unix epoch. */
  originEpochMs: number;
  onTrace(batch: TraceBatch, side: Side): void;
  onEvent(event: TraceEvent): void;
  onStatus(status: CallStatus): void;
}

/** The video codecs that a call can prefer. Their frames can carry the timing trailer. */
export type VideoCodec = 'vp8' | 'vp9';

export interface CallOptions extends ControlOptions {
  /**
   * `loopback`: both peers in this page, each with its own worker. `send`, `receive`: one peer in this page.
   */
  role: 'loopback' | 'send' | 'receive';
  /** The video to send; required by `loopback` and `send`. */
  track?: MediaStreamTrack;
  /** The preferred video codec; default `vp8`, whose rate control follows its target without key frames. */
  codec?: VideoCodec;
  /**
   * Audio (Opus) sent in the same connection. Audio and video packets share the link, but the controller
   * counts only the video packets. The received rate, the losses and the target are those of the video alone.
   * To the controller, audio is cross traffic, which it notices only as delay.
   */
  audioTrack?: MediaStreamTrack;
  /** A shaped link: the sender sends to socket `a`, the receiver to socket `b`. */
  relay?: Relay;
  /** A bottleneck inside the sender's transform, at frame granularity; cannot be combined with `relay`. */
  bottleneck?: LinkOptions;
  /** Required by `send` and `receive`. */
  signalling?: Signalling;
  /** The frame rate requested from the track's source, in frames per second; default: the track's setting. */
  sourceFps?: number;
  /** Requests a key frame from the encoder at this interval, in seconds. */
  keyFrameIntervalS?: number;
}

/**
 * The browser's statistics for the media that the page sends and receives. A field is NaN or null if the
 * browser does not report it.
 */
export interface MediaStats {
  fps: number;
  framesDecoded: number;
  freezeCount: number;
  totalFreezesDurationS: number;
  longestFreezeS: number;
  width: number;
  height: number;
  /** `sourceWidth`, `sourceHeight` and `sourceFps`: the size and frame rate of the video before encoding. */
  sourceWidth: number;
  sourceHeight: number;
  sourceFps: number;
  /** The state of the sender's encoder; null in a page that sends nothing. */
  encoder: EncoderCounters | null;
  /** In lower case, such as `vp8`. */
  codec: string | null;
  /** Cumulative; counts all bytes on the wire, with headers. NaN without audio. */
  audioBytesReceived: number;
  /** The browser's own estimate at the sender (`availableOutgoingBitrate`). */
  browserEstimateBps: number;
  rttMs: number;
}

export interface Call {
  /** The received video and audio; null for role `send`. */
  readonly remoteStream: MediaStream | null;
  readonly status: CallStatus;
  /**
   * Changes a parameter of the controller in charge, in every worker of this call in this page. Rejects with a
   * CoreError if the value is invalid. Unless the mode is `observe`, the bounds of the rate must stay within
   * `minBitrateBps` and `maxBitrateBps`. In a call of role `receive`, this and the next two methods wait until the far side's video
   * begins; if the call is closed before, they resolve without a change.
   */
  setParameter(name: string, value: number): Promise<void>;
  setPreset(name: string): Promise<void>;
  /**
   * Replaces the controllers that only watch, during the call. Rejects with a CoreError for an unknown controller
   * or parameter.
   */
  setShadows(shadows: readonly ShadowController[]): Promise<void>;
  /** Changes the in-page bottleneck; rejects if there is none. */
  setBottleneck(options: Partial<LinkOptions>): Promise<void>;
  /**
   * To be called every second if a shaper outside the page is used. `p95Ms` is the 95th percentile of the lateness
   * with which the shaper sent the packets of the last second.
   */
  shaperLate(p95Ms: number): void;
  requestKeyFrame(): void;
  /** Stops the controllers, and restores the encoder's original limits. The call continues. */
  detach(): Promise<void>;
  close(): Promise<void>;
  mediaStats(): Promise<MediaStats>;
}
