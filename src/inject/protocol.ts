/**
 * The messages between the observer in a page and its listener, which may run in Node or in the page. All times
 * are microseconds since the origin that the listener specifies. In transit a number may be null, which stands
 * for NaN.
 */

/**
 * The address at which the link's relay listens. It replaces the address of every remote candidate. The type
 * is also used for the addresses of the far side.
 */
export interface RelayAddress {
  address: string;
  port: number;
}

/** How received video can be timed: frame by frame, or by the counters of getStats twice a second. */
export type AskedFrameTiming = 'transform' | 'getStats';

/**
 * How received video is actually timed. With `elements`, a frame is timed when a video element shows it. Frames
 * that were not shown are missing, and the sizes are estimates.
 */
export type FrameTiming = AskedFrameTiming | 'elements';

/** The settings of each window's observer. */
export interface ObserverConfig {
  /** The origin of all times, in milliseconds since the Unix epoch. */
  originEpochMs: number;
  /** Null if calls are observed without a link. */
  relay: RelayAddress | null;
  frameTiming: AskedFrameTiming;
  /** Whether to search for connections that the page created before it was observed. */
  adoptsLate: boolean;
  /** Whether frames of receivers without the observer's transform are timed when the browser shows them. */
  timesShownFrames: boolean;
}

/** `message`: what happened. `fix`: what to do. Each is one sentence. */
export interface RecordNotice {
  level: 'info' | 'warning' | 'error';
  code: string;
  message: string;
  fix: string;
}

/**
 * A video or audio stream that an endpoint sends, as getStats reports it. A number is NaN if getStats does not
 * report it.
 */
export interface OutboundStats {
  ssrc: number;
  kind: 'video' | 'audio';
  /** The media section that the stream belongs to (RFC 9143); '' if the browser does not report it. */
  mid: string;
  /** For example `VP8`; '' if the browser does not report it. */
  codec: string;
  bytesSent: number;
  headerBytesSent: number;
  packetsSent: number;
  retransmittedBytesSent: number;
  framesEncoded: number;
  framesPerSecond: number;
  frameWidth: number;
  frameHeight: number;
  /** Name of the simulcast layer (RFC 8851); '' without simulcast, and for layers of `a=ssrc-group:SIM`. */
  rid: string;
  /** The position of the encoding in its sender's parameters; NaN if the browser does not report it. */
  encodingIndex: number;
  /** For example `L3T3_KEY` (webrtc-svc); '' if the browser does not report it. */
  scalabilityMode: string;
  /** Whether the layer is sent; true if the browser does not report it. */
  active: boolean;
  /** The encoder's target rate. */
  targetBps: number;
  /** none, bandwidth, cpu or other; '' if the browser does not report it. */
  qualityLimitationReason: string;
  /** The `maxBitrate` of the stream's encoding; NaN without a limit. */
  maxBitrateBps: number;
  /**
   * The limit in the `b=` line of the remote description; NaN without such a line. It applies to all layers of
   * the media section together.
   */
  sectionBoundBps: number;
  keyFramesEncoded: number;
  /** Frames that the source has given to the encoder; NaN while the encoder has no source. */
  sourceFrames: number;
  /** The state of the sender's track; `none` without a track, '' if unknown. */
  trackState: MediaStreamTrackState | 'none' | '';
  /**
   * Why a live track delivers no frames: the page has disabled it, or its source is muted; '' if neither is the
   * case.
   */
  trackPaused: 'disabled' | 'muted' | '';
  /**
   * `nackCount`, `pliCount` and `firCount`: how many requests the far side has sent. A NACK requests lost
   * packets (RFC 4585, 6.2.1). A PLI or FIR requests a key frame (RFC 4585, 6.3.1; RFC 5104, 4.3.1).
   */
  nackCount: number;
  pliCount: number;
  firCount: number;
  /**
   * `totalPacketSendDelayS`: the sum of the send delays of all packets. `totalEncodeTimeS`: the sum of the
   * encoding times of all frames.
   */
  totalPacketSendDelayS: number;
  totalEncodeTimeS: number;
  /** Sent packets that were marked ECT(1), for L4S (RFC 9331). */
  packetsSentWithEct1: number;
  /**
   * `packetsLost`, `fractionLost` and `roundTripTimeS`: from the far side's latest receiver report.
   * `reportTimeUs`: the time when this report arrived, on the same clock as `StatsSample.timeUs`.
   */
  packetsLost: number;
  fractionLost: number;
  roundTripTimeS: number;
  reportTimeUs: number;
}

/**
 * A video or audio stream that an endpoint receives, as getStats reports it. A number is NaN if getStats does
 * not report it.
 */
export interface InboundStats {
  ssrc: number;
  kind: 'video' | 'audio';
  mid: string;
  codec: string;
  frameWidth: number;
  frameHeight: number;
  keyFramesDecoded: number;
  framesDropped: number;
  totalDecodeTimeS: number;
  /**
   * `nackCount`: requests for retransmissions. `retransmittedPacketsReceived`: retransmitted packets that
   * arrived (RFC 4588).
   */
  nackCount: number;
  retransmittedPacketsReceived: number;
  /** Interarrival jitter (RFC 3550, 6.4.1). */
  jitterS: number;
  /**
   * The packets that arrived with the mark ECT(1), and those that arrived with the mark CE (for L4S, RFC 9331).
   */
  packetsReceivedWithEct1: number;
  packetsReceivedWithCe: number;
  /**
   * From the far side's latest sender report. `remotePacketsSent`: how many packets the far side had sent.
   * `reportTimeUs`: the time when this report arrived.
   */
  remotePacketsSent: number;
  reportTimeUs: number;
  bytesReceived: number;
  headerBytesReceived: number;
  packetsReceived: number;
  packetsLost: number;
  framesReceived: number;
  framesDecoded: number;
  framesPerSecond: number;
  /** Picture loss indications that were sent. They request key frames. */
  pliCount: number;
  freezeCount: number;
  totalFreezesDurationS: number;
  jitterBufferDelayS: number;
  jitterBufferEmittedCount: number;
}

/** One reading of an endpoint's getStats. */
export interface StatsSample {
  timeUs: number;
  outbound: OutboundStats[];
  inbound: InboundStats[];
  /**
   * `availableOutgoingBps` and `rttS`: values of the selected candidate pair; NaN if the browser does not
   * report them.
   */
  availableOutgoingBps: number;
  rttS: number;
  /** How many connectivity checks on the selected pair were answered, including consent checks (RFC 7675). */
  checksAnswered: number;
  /**
   * `route`: the types and protocols of the selected pair's candidates, such as `host/udp srflx/udp`.
   * `routeChanges`: how many times a pair was selected, including the first time.
   */
  route: string;
  routeChanges: number;
  /** Bytes of all candidate pairs that the browser reports. */
  bytesSent: number;
  bytesReceived: number;
  /** The bytes that bypassed the link: their far end was not the link's address. NaN without a link. */
  outsideBytesSent: number;
  outsideBytesReceived: number;
  /** The payload bytes of all data channels. */
  dataBytesSent: number;
  dataBytesReceived: number;
}

/** What the far side of an endpoint announced: its username fragment and where it can be reached. */
export interface RemoteSide {
  ufrag: string;
  /** The UDP candidates of the far side. An address may be a `.local` name. */
  candidates: RelayAddress[];
}

/** A stream that actions refer to: a media section of a connection, in one direction. */
export interface ActionTarget {
  /** The connection's number in the window. */
  endpoint: number;
  direction: 'send' | 'receive';
  /** The media section's mid; '' if the browser does not report it. The SSRC then identifies the stream. */
  mid: string;
  ssrc: number;
}

/**
 * A key for a media section in one direction. If the browser reports no mid, each stream counts as a separate media
 * section.
 */
export const sectionOf = ({ endpoint, direction, mid, ssrc }: ActionTarget): string =>
  `${endpoint} ${direction} ${mid === '' ? `ssrc ${ssrc}` : mid}`;

/** One encoding of a sender (simulcast): its rid, or its index if it has no rid. Null means all encodings. */
export type EncodingName = string | number | null;

export type DegradationPreferenceName =
  'balanced' | 'maintain-framerate' | 'maintain-resolution' | 'maintain-framerate-and-resolution';

/** Kinds of changes that can be undone separately. */
export type Releasable = 'cap' | 'drive' | 'layer' | 'degradation-preference' | 'playout-delay';

/** An action on a call. Actions are only carried out on explicit command. All fields can be sent as JSON. */
export type Action =
  /** Limits a sender, or one of its encodings. A limit that the page has set still applies. */
  | { kind: 'cap'; target: ActionTarget; encoding: EncodingName; maxBitrateBps: number }
  /** Limits each encoding of a sender to the rate that it sends during the next second. */
  | { kind: 'hold'; target: ActionTarget }
  /**
   * Limits a sender to a controller's rate for the next few seconds. The limit ends unless the action is
   * repeated.
   */
  | { kind: 'drive'; target: ActionTarget; controller: string; maxBitrateBps: number }
  /** Undoes all actions on a stream, or those of one kind. The settings of the page then apply again. */
  | { kind: 'release'; target: ActionTarget; of: Releasable | null }
  /** Makes a sender encode a key frame. */
  | { kind: 'key-frame'; target: ActionTarget; encoding: EncodingName }
  /** Turns an encoding on or off. */
  | { kind: 'layer'; target: ActionTarget; encoding: EncodingName; active: boolean }
  | { kind: 'degradation-preference'; target: ActionTarget; preference: DegradationPreferenceName }
  /** Sets the minimum time for which received media is held back before it is played. */
  | { kind: 'playout-delay'; target: ActionTarget; delayMs: number };

/** Actions on a stream that have not been undone. */
export type InForce =
  | { kind: 'cap'; encoding: EncodingName; maxBitrateBps: number }
  | { kind: 'drive'; controller: string; maxBitrateBps: number }
  | { kind: 'layer'; encoding: EncodingName; active: boolean }
  | { kind: 'degradation-preference'; preference: DegradationPreferenceName }
  | { kind: 'playout-delay'; delayMs: number };

export type ActionResult =
  /** `inForce`: all actions on the stream that have not been undone. */
  { ok: true; message: string; inForce: InForce[] } | { ok: false; why: string; fix: string };

/**
 * How many numbers describe a frame in a `frames` message: SSRC, RTP timestamp, arrival, size in bytes, 1 for a
 * key frame (else 0), spatial layer index and temporal layer index (webrtc-svc). A layer index is NO_LAYER if
 * the browser does not report it.
 */
export const NUMBERS_PER_FRAME = 7;
/** The index of a layer that the browser does not report. */
export const NO_LAYER = -1;

/**
 * A message from the observer to its listener. `endpoint` is the number of a peer connection: the connections
 * of a window are counted from 0.
 */
export type PageMessage =
  | { type: 'endpoint'; endpoint: number; timeUs: number }
  | { type: 'state'; endpoint: number; timeUs: number; state: RTCPeerConnectionState }
  | { type: 'local'; endpoint: number; role: 'offerer' | 'answerer' | null; ufrags: string[] }
  | { type: 'remote'; endpoint: number; sides: RemoteSide[] }
  | { type: 'sample'; endpoint: number; sample: StatsSample }
  /** `rows` contains NUMBERS_PER_FRAME numbers for each frame, one frame after another. */
  | { type: 'frames'; endpoint: number; rows: number[] }
  | { type: 'source'; endpoint: number; source: FrameTiming }
  | { type: 'notice'; endpoint: number; notice: RecordNotice }
  /** An action that was requested, its result, and the time of the result. */
  | { type: 'action'; endpoint: number; timeUs: number; action: Action; result: ActionResult }
  /** The largest lateness of a tick of the observer's worker, in the second that ended at `timeUs`. */
  | { type: 'late'; timeUs: number; lateMs: number };

/** The reports of a window since the last batch, in order. */
export interface PageBatch {
  /** A name that no other window has. The window gets a new name each time its observer resumes. */
  window: string;
  url: string;
  /** Everything that happened before this time has been reported. */
  timeUs: number;
  messages: PageMessage[];
}

/** The requests that the listener sends to the observer of a window, as JSON. */
export type PageRequest =
  /** Requests all reports up to now. Answered when they have been delivered. */
  | { type: 'flush' }
  /** Stops all reports until the observer is resumed. */
  | { type: 'pause' }
  | { type: 'resume' }
  /** Requests an action on a call. Answered with an ActionResult. */
  | { type: 'act'; action: Action };

/** The interface of a window's observer. The observer is the window's property `Symbol.for(OBSERVER_KEY)`. */
export interface PageObserver {
  /** Reports everything known at this time. Resolves when the listener has received it. */
  flush(): Promise<void>;
  /** Executes a request. Resolves to the answer, which can be sent as JSON. */
  ask(request: PageRequest): Promise<unknown>;
  /**
   * Stops all reports if they still go to `binding`, the name of a window function. If another listener has
   * taken over, does nothing.
   */
  release(binding: string): Promise<void>;
}

/** The key of the observer's symbol in the global symbol registry, which all realms share. */
export const OBSERVER_KEY = 'ccscope.observer';
