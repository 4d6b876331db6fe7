/**
 * The messages between the observer in a page and Node. All times are microseconds since the origin that Node
 * specifies. In transit a number may be null, which stands for NaN.
 */

/** Where the link listens: this address replaces every remote candidate's. */
export interface RelayAddress {
  address: string;
  port: number;
}

/** How received video can be timed: frame by frame, or by the counters of getStats twice a second. */
export type AskedFrameTiming = 'transform' | 'getStats';

/**
 * How received video is actually timed: `elements` is frame by frame, too, but only covers frames that were shown,
 * with estimated sizes.
 */
export type FrameTiming = AskedFrameTiming | 'elements';

/** The settings of each window's observer. */
export interface ObserverConfig {
  /** The origin of all times, in milliseconds since the Unix epoch. */
  originEpochMs: number;
  /** Null where calls are observed without a link. */
  relay: RelayAddress | null;
  frameTiming: AskedFrameTiming;
  /** Whether to search for connections that the page made before it was observed. */
  adoptsLate: boolean;
  /** Whether frames that pass no transform of the observer are timed as they are shown. */
  timesShownFrames: boolean;
}

/** One sentence on what happened, and one on what to do. */
export interface RecordNotice {
  level: 'info' | 'warning' | 'error';
  code: string;
  message: string;
  fix: string;
}

/** A video or audio stream that an endpoint sends, as getStats counts it; NaN where it reports nothing. */
export interface OutboundStats {
  ssrc: number;
  kind: 'video' | 'audio';
  /** Media section that it belongs to (RFC 9143); '' if the browser does not report it. */
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
  /** Name of the simulcast layer (RFC 8851); '' without simulcast. */
  rid: string;
  /** For example `L3T3_KEY` (webrtc-svc); '' if the browser does not report it. */
  scalabilityMode: string;
  /** Whether the layer is sent; true if the browser does not report it. */
  active: boolean;
  /** The encoder's target rate. */
  targetBps: number;
  /** none, bandwidth, cpu or other; '' if the browser does not report it. */
  qualityLimitationReason: string;
  /** Its encoding's `maxBitrate`; NaN without a limit. */
  maxBitrateBps: number;
  /** The remote description's `b=` line, which limits all layers of its media section together; NaN without one. */
  sectionBoundBps: number;
  keyFramesEncoded: number;
  /** Frames that the source has given to the encoder; NaN while it has no source. */
  sourceFrames: number;
  /** The state of the track that it sends; `none` without one, '' if unknown. */
  trackState: MediaStreamTrackState | 'none' | '';
  /** What keeps a live track from delivering pictures: the page disabled it, or its source is muted. */
  trackPaused: 'disabled' | 'muted' | '';
  /** Requests from the far side, for lost packets and key frames (RFC 4585, 6.2.1 and 6.3.1; RFC 5104, 4.3.1). */
  nackCount: number;
  pliCount: number;
  firCount: number;
  /** Sums over all packets, and over all frames encoded. */
  totalPacketSendDelayS: number;
  totalEncodeTimeS: number;
  /** Packets marked ECT(1): L4S (RFC 9331). */
  packetsSentWithEct1: number;
  /**
   * From the far side's receiver reports; `reportTimeUs` is the arrival time of the latest report, on the
   * sample's clock.
   */
  packetsLost: number;
  fractionLost: number;
  roundTripTimeS: number;
  reportTimeUs: number;
}

/** A stream that an endpoint receives, as getStats counts it. */
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
  /** Requested retransmissions, and those that arrived (RFC 4588). */
  nackCount: number;
  retransmittedPacketsReceived: number;
  /** Interarrival jitter (RFC 3550, 6.4.1). */
  jitterS: number;
  /** Packets that arrived with ECT(1), and marked CE: L4S (RFC 9331). */
  packetsReceivedWithEct1: number;
  packetsReceivedWithCe: number;
  /** The far side's latest sender report: how many packets it had sent, and when the report arrived. */
  remotePacketsSent: number;
  reportTimeUs: number;
  bytesReceived: number;
  headerBytesReceived: number;
  packetsReceived: number;
  packetsLost: number;
  framesReceived: number;
  framesDecoded: number;
  framesPerSecond: number;
  /** Picture loss indications, which request key frames. */
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
  /** From the selected candidate pair; NaN where the browser reports nothing. */
  availableOutgoingBps: number;
  rttS: number;
  /** Answers to its connectivity checks (RFC 7675). */
  checksAnswered: number;
  /** Kinds and protocols of its candidates, such as `host/udp srflx/udp`, and how often another pair was selected. */
  route: string;
  routeChanges: number;
  /** Sums over all candidate pairs that the browser reports. */
  bytesSent: number;
  bytesReceived: number;
  /**
   * The part of these bytes that went to, or came from, a far end other than the link's address; NaN without a
   * link.
   */
  outsideBytesSent: number;
  outsideBytesReceived: number;
  /** The payload of data channels. */
  dataBytesSent: number;
  dataBytesReceived: number;
}

/** What the far side of an endpoint announced: its user name fragment and where it can be reached. */
export interface RemoteSide {
  ufrag: string;
  /** Its UDP candidates; an address may be a `.local` name. */
  candidates: RelayAddress[];
}

/** A stream that actions refer to: a media section of a connection, in one direction. */
export interface ActionTarget {
  /** The connection's number in the window. */
  endpoint: number;
  direction: 'send' | 'receive';
  /** '' if the browser does not report it: the stream's SSRC then identifies it. */
  mid: string;
  ssrc: number;
}

/** One encoding of a sender (simulcast): its rid, its index if it has no rid, or null for all of them. */
export type EncodingName = string | number | null;

export type DegradationPreferenceName =
  'balanced' | 'maintain-framerate' | 'maintain-resolution' | 'maintain-framerate-and-resolution';

/** Kinds of changes that can be undone separately. */
export type Releasable = 'cap' | 'drive' | 'layer' | 'degradation-preference' | 'playout-delay';

/** Actions on a call, on explicit command only. JSON can carry them unchanged. */
export type Action =
  /** Limits a sender, or one of its encodings. A limit that the page has set stays in force. */
  | { kind: 'cap'; target: ActionTarget; encoding: EncodingName; maxBitrateBps: number }
  /** Limits each encoding of a sender to its present rate, measured for a second. */
  | { kind: 'hold'; target: ActionTarget }
  /** Limits a sender to a controller's rate for the next few seconds; the action has to be repeated. */
  | { kind: 'drive'; target: ActionTarget; controller: string; maxBitrateBps: number }
  /** Undoes the actions on a stream, or only those of one kind: what the page has set applies again. */
  | { kind: 'release'; target: ActionTarget; of: Releasable | null }
  /** Makes a sender encode a key frame. */
  | { kind: 'key-frame'; target: ActionTarget; encoding: EncodingName }
  /** Turns an encoding on or off. */
  | { kind: 'layer'; target: ActionTarget; encoding: EncodingName; active: boolean }
  | { kind: 'degradation-preference'; target: ActionTarget; preference: DegradationPreferenceName }
  /** The minimum time for which received media is held back before it is played. */
  | { kind: 'playout-delay'; target: ActionTarget; delayMs: number };

/** Actions on a stream that have not been undone. */
export type InForce =
  | { kind: 'cap'; encoding: EncodingName; maxBitrateBps: number }
  | { kind: 'drive'; controller: string; maxBitrateBps: number }
  | { kind: 'layer'; encoding: EncodingName; active: boolean }
  | { kind: 'degradation-preference'; preference: DegradationPreferenceName }
  | { kind: 'playout-delay'; delayMs: number };

export type ActionResult =
  /** `inForce`: everything that is now in force for the stream. */
  { ok: true; message: string; inForce: InForce[] } | { ok: false; why: string; fix: string };

/**
 * The numbers of one frame in a `frames` message: ssrc, RTP timestamp, arrival, size in bytes, 1 for a key frame,
 * and the indexes of its spatial and temporal layer (webrtc-svc), NO_LAYER where the browser does not report one.
 */
export const NUMBERS_PER_FRAME = 7;
/** The index of a layer that the browser does not report. */
export const NO_LAYER = -1;

/** A report of a page. `endpoint` counts the window's peer connections from 0. */
export type PageMessage =
  | { type: 'endpoint'; endpoint: number; timeUs: number }
  | { type: 'state'; endpoint: number; timeUs: number; state: RTCPeerConnectionState }
  | { type: 'local'; endpoint: number; role: 'offerer' | 'answerer' | null; ufrags: string[] }
  | { type: 'remote'; endpoint: number; sides: RemoteSide[] }
  | { type: 'sample'; endpoint: number; sample: StatsSample }
  /** `rows` has NUMBERS_PER_FRAME for each frame, one after the other. */
  | { type: 'frames'; endpoint: number; rows: number[] }
  | { type: 'source'; endpoint: number; source: FrameTiming }
  | { type: 'notice'; endpoint: number; notice: RecordNotice }
  /** A requested action and its result at that time. */
  | { type: 'action'; endpoint: number; timeUs: number; action: Action; result: ActionResult }
  /** The largest lateness of a tick of the observer's worker, in the second that ended at `timeUs`. */
  | { type: 'late'; timeUs: number; lateMs: number };

/** The reports of a window since the last batch, in order. */
export interface PageBatch {
  /** Unique for each window, hence for each document. */
  window: string;
  url: string;
  /** Everything that happened before this time has been reported. */
  timeUs: number;
  messages: PageMessage[];
}

/** The requests to the observer of a window, in JSON. */
export type PageRequest =
  /** Report everything that is known now; answered when that is done. */
  | { type: 'flush' }
  /** Report nothing more, until the observer is resumed. */
  | { type: 'pause' }
  | { type: 'resume' }
  /** Act on a call; answered with an ActionResult. */
  | { type: 'act'; action: Action };

/** What the observer exposes in a window, at the symbol `OBSERVER_KEY`. */
export interface PageObserver {
  /** Reports everything that is known now; resolves when Node has it. */
  flush(): Promise<void>;
  /** Executes a request, and resolves with an answer in JSON. */
  ask(request: PageRequest): Promise<unknown>;
  /** The listener on this binding leaves: unless another one has taken over, nothing more is reported. */
  release(binding: string): Promise<void>;
}

/** The key of the observer's symbol, in the registry that all realms share. */
export const OBSERVER_KEY = 'ccscope.observer';
