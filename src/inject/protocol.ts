/**
 * What the observer in a page and Node say to each other. All times are microseconds
 * since the origin that Node names. On the way a number may be null, which means NaN.
 */

/** Where the link listens: every remote candidate is replaced by this address. */
export interface RelayAddress {
  address: string;
  port: number;
}

/** How received video is timed: frame by frame, or by what getStats count twice a second. */
export type FrameTiming = 'transform' | 'getStats';

/** What Node tells each page's observer when it starts. */
export interface ObserverConfig {
  /** Name of the function through which it reports. */
  binding: string;
  /** Zero of all times, in milliseconds of the Unix epoch. */
  originEpochMs: number;
  /** Null where calls are observed without a link. */
  relay: RelayAddress | null;
  frameTiming: FrameTiming;
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
  /** The least of its encodings' `maxBitrate` and the remote description's `b=` line; NaN without any. */
  maxBitrateBps: number;
  keyFramesEncoded: number;
  /** Frames that the source has given to the encoder; NaN while it has no source. */
  sourceFrames: number;
  /** Of the track that it sends; `none` without one, '' where that is not known. */
  trackState: MediaStreamTrackState | 'none' | '';
  /** From the far side's receiver reports. */
  packetsLost: number;
  roundTripTimeS: number;
}

/** A stream that an endpoint receives, likewise. */
export interface InboundStats {
  ssrc: number;
  kind: 'video' | 'audio';
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

/** Numbers of one frame in a `frames` message: ssrc, RTP timestamp, arrival, size in bytes, 1 for a key frame. */
export const NUMBERS_PER_FRAME = 5;

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

/** What the observer leaves in a window, at the symbol `OBSERVER_KEY`. */
export interface PageObserver {
  /** Tells everything that is known now; resolves when Node has it. */
  flush(): Promise<void>;
}

/** The key of the observer's symbol, in the registry of all realms. */
export const OBSERVER_KEY = 'ccscope.observer';
