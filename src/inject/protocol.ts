/**
 * What the observer in a page and Node say to each other. All times are microseconds
 * since the origin that Node names. On the way a number may be null, which means NaN.
 */

/** Where the link listens: every remote candidate is replaced by this address. */
export interface RelayAddress {
  address: string;
  port: number;
}

/** How received video can be asked to be timed: frame by frame, or by what getStats count twice a second. */
export type AskedFrameTiming = 'transform' | 'getStats';

/** How it is: `elements` is frame by frame, too, but only frames that were shown, and with estimated sizes. */
export type FrameTiming = AskedFrameTiming | 'elements';

/** What each window's observer is told when it starts. */
export interface ObserverConfig {
  /** Zero of all times, in milliseconds of the Unix epoch. */
  originEpochMs: number;
  /** Null where calls are observed without a link. */
  relay: RelayAddress | null;
  frameTiming: AskedFrameTiming;
  /** Whether connections that the page has made before are looked for. */
  adoptsLate: boolean;
  /** Whether frames that no transform of the observer sees are timed as they are shown. */
  timesShownFrames: boolean;
}

/** One sentence on what happened, one on what to do. */
export interface RecordNotice {
  level: 'info' | 'warning' | 'error';
  code: string;
  message: string;
  fix: string;
}

/** A video or audio stream that an endpoint sends, as getStats counts it; NaN where it does not say. */
export interface OutboundStats {
  ssrc: number;
  kind: 'video' | 'audio';
  /** Media section that it belongs to (RFC 9143); '' where the browser does not say. */
  mid: string;
  /** As `VP8`; '' where the browser does not say. */
  codec: string;
  bytesSent: number;
  headerBytesSent: number;
  packetsSent: number;
  retransmittedBytesSent: number;
  framesEncoded: number;
  framesPerSecond: number;
  frameWidth: number;
  frameHeight: number;
  /** Name of the simulcast layer (RFC 8851); '' without. */
  rid: string;
  /** As `L3T3_KEY` (webrtc-svc); '' where the browser does not say. */
  scalabilityMode: string;
  /** Whether the layer is sent; true where the browser does not say. */
  active: boolean;
  /** What the encoder is asked for. */
  targetBps: number;
  /** none, bandwidth, cpu or other; '' where the browser does not say. */
  qualityLimitationReason: string;
  /** Its encoding's `maxBitrate`; NaN without. */
  maxBitrateBps: number;
  /** The remote description's `b=` line, which bounds all layers of its media section together; NaN without. */
  sectionBoundBps: number;
  keyFramesEncoded: number;
  /** Frames that the source has given to the encoder; NaN while it has no source. */
  sourceFrames: number;
  /** The state of the track that it sends; `none` without one, '' where that is not known. */
  trackState: MediaStreamTrackState | 'none' | '';
  /** What keeps a live track from giving pictures: the page disabled it, or its source is muted. */
  trackPaused: 'disabled' | 'muted' | '';
  /** Requests of the far side: lost packets, key frames (RFC 4585, 6.2.1 and 6.3.1; RFC 5104, 4.3.1). */
  nackCount: number;
  pliCount: number;
  firCount: number;
  /** Sums over all packets, and over all frames encoded. */
  totalPacketSendDelayS: number;
  totalEncodeTimeS: number;
  /** Packets marked ECT(1): L4S (RFC 9331). */
  packetsSentWithEct1: number;
  /** From the far side's receiver reports; the last is when the latest came, on the clock of the sample. */
  packetsLost: number;
  fractionLost: number;
  roundTripTimeS: number;
  reportTimeUs: number;
}

/** What an endpoint says of a stream that it receives. */
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
  /** Retransmissions that were asked for, and those that came (RFC 4588). */
  nackCount: number;
  retransmittedPacketsReceived: number;
  /** Interarrival jitter (RFC 3550, 6.4.1). */
  jitterS: number;
  /** Packets that came with ECT(1), and marked CE: L4S (RFC 9331). */
  packetsReceivedWithEct1: number;
  packetsReceivedWithCe: number;
  /** The far side's latest sender report: how many packets it had sent, and when the report came. */
  remotePacketsSent: number;
  reportTimeUs: number;
  bytesReceived: number;
  headerBytesReceived: number;
  packetsReceived: number;
  packetsLost: number;
  framesReceived: number;
  framesDecoded: number;
  framesPerSecond: number;
  /** Key frames asked for: picture loss indications. */
  pliCount: number;
  freezeCount: number;
  totalFreezesDurationS: number;
  jitterBufferDelayS: number;
  jitterBufferEmittedCount: number;
}

/** One look at an endpoint's getStats. */
export interface StatsSample {
  timeUs: number;
  outbound: OutboundStats[];
  inbound: InboundStats[];
  /** From the selected candidate pair; NaN where the browser does not say. */
  availableOutgoingBps: number;
  rttS: number;
  /** Answers to its connectivity checks (RFC 7675). */
  checksAnswered: number;
  /** Kinds and protocols of its candidates, as `host/udp srflx/udp`, and how often another pair was selected. */
  route: string;
  routeChanges: number;
  /** At all candidate pairs so far, as long as there are these. */
  bytesSent: number;
  bytesReceived: number;
  /** What of all pairs' bytes so far went to or came from another far end than the link's address; NaN without a link. */
  outsideBytesSent: number;
  outsideBytesReceived: number;
  /** The payload of data channels. */
  dataBytesSent: number;
  dataBytesReceived: number;
}

/** What the far side of an endpoint said: its user name fragment and where it can be reached. */
export interface RemoteSide {
  ufrag: string;
  /** Its UDP candidates; an address may be a `.local` name. */
  candidates: RelayAddress[];
}

/** A stream that is acted upon: a media section of a connection, one way. */
export interface ActionTarget {
  /** As the window counts its connections. */
  endpoint: number;
  direction: 'send' | 'receive';
  /** '' where the browser does not say: the stream's SSRC then tells whose it is. */
  mid: string;
  ssrc: number;
}

/** One encoding of a sender (simulcast): its rid, its index where it has no rid, or null for all of them. */
export type EncodingName = string | number | null;

export type DegradationPreferenceName =
  'balanced' | 'maintain-framerate' | 'maintain-resolution' | 'maintain-framerate-and-resolution';

/** What can be taken back by itself. */
export type Releasable = 'cap' | 'drive' | 'layer' | 'degradation-preference' | 'playout-delay';

/** What is done to a call, on explicit command only. JSON carries it as it is. */
export type Action =
  /** Bounds a sender, or one of its encodings. What the page has set as a bound stays one. */
  | { kind: 'cap'; target: ActionTarget; encoding: EncodingName; maxBitrateBps: number }
  /** Bounds each encoding of a sender at the rate that it has now, measured for a second. */
  | { kind: 'hold'; target: ActionTarget }
  /** Bounds a sender as a controller says, for the next seconds: it has to be said again. */
  | { kind: 'drive'; target: ActionTarget; controller: string; maxBitrateBps: number }
  /** Takes back what was done to a stream, or only that of one kind: what the page has set holds again. */
  | { kind: 'release'; target: ActionTarget; of: Releasable | null }
  /** Has a sender encode a key frame. */
  | { kind: 'key-frame'; target: ActionTarget; encoding: EncodingName }
  /** Sends an encoding, or sends it no longer. */
  | { kind: 'layer'; target: ActionTarget; encoding: EncodingName; active: boolean }
  | { kind: 'degradation-preference'; target: ActionTarget; preference: DegradationPreferenceName }
  /** How long received media is held back before it is played, at least. */
  | { kind: 'playout-delay'; target: ActionTarget; delayMs: number };

/** What was done to a stream and not taken back yet. */
export type InForce =
  | { kind: 'cap'; encoding: EncodingName; maxBitrateBps: number }
  | { kind: 'drive'; controller: string; maxBitrateBps: number }
  | { kind: 'layer'; encoding: EncodingName; active: boolean }
  | { kind: 'degradation-preference'; preference: DegradationPreferenceName }
  | { kind: 'playout-delay'; delayMs: number };

export type ActionResult =
  /** `inForce`: all that is now in force for the stream. */
  { ok: true; message: string; inForce: InForce[] } | { ok: false; why: string; fix: string };

/**
 * Numbers of one frame in a `frames` message: ssrc, RTP timestamp, arrival, size in bytes, 1 for a key frame, and the
 * indices of its spatial and temporal layer (webrtc-svc), NO_LAYER where the browser does not say.
 */
export const NUMBERS_PER_FRAME = 7;
/** Stands for the index of a layer that the browser does not tell. */
export const NO_LAYER = -1;

/** One thing that a page has to tell. `endpoint` counts the window's peer connections from 0. */
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
  /** An action that was asked for, and what came of it then. */
  | { type: 'action'; endpoint: number; timeUs: number; action: Action; result: ActionResult }
  /** How late the latest tick of the window's own worker was in the second that ended then. */
  | { type: 'late'; timeUs: number; lateMs: number };

/** What a window has to tell since the last time, in order. */
export interface PageBatch {
  /** Unique for each window, so for each document. */
  window: string;
  url: string;
  /** Everything that happened before this is told. */
  timeUs: number;
  messages: PageMessage[];
}

/** What the observer of a window may be asked for, in JSON. */
export type PageRequest =
  /** Tell everything that is known now; answered when it has been told. */
  | { type: 'flush' }
  /** Tell nothing more, until the observer is resumed. */
  | { type: 'pause' }
  | { type: 'resume' }
  /** Act on a call; answered with an ActionResult. */
  | { type: 'act'; action: Action };

/** What the observer leaves in a window, at the symbol `OBSERVER_KEY`. */
export interface PageObserver {
  /** Tells everything that is known now; resolves when Node has it. */
  flush(): Promise<void>;
  /** Does what is asked for, and resolves with an answer in JSON. */
  ask(request: PageRequest): Promise<unknown>;
  /** Whoever listens through this binding goes: unless somebody else listens by now, nothing more is told. */
  release(binding: string): Promise<void>;
}

/** The key of the observer's symbol, in the registry of all realms. */
export const OBSERVER_KEY = 'ccscope.observer';
