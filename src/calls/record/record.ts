/**
 * The record of a call under test: what its pages reported about their peer connections, and what the link did to
 * their packets. It grows during the call; judgements and charts only read it. All times are in microseconds from
 * the record's origin.
 */
import type { Direction } from '../../core/direction.js';
import type { TraceBatch } from '../../core/index.js';
import type { Action, ActionResult, FrameTiming, RecordNotice, StatsSample } from '../../inject/protocol.js';
import type { QueueRow } from '../../link/server_protocol.js';
import type { ShadowFlow } from './shadow_flow.js';

export type {
  Action,
  ActionResult,
  ActionTarget,
  AskedFrameTiming,
  DegradationPreferenceName,
  EncodingName,
  FrameTiming,
  InboundStats,
  InForce,
  OutboundStats,
  RecordNotice,
  Releasable,
  StatsSample,
} from '../../inject/protocol.js';

export type { ShadowFlow };
/**
 * `forward` is from the side that offered to the side that answered. If the far side is not a page under
 * test, `forward` is the direction of the page's upload, whoever offered.
 */
export type { Direction };

/** Packets of a call at the link, as columns, since there are many. */
export interface PacketColumns {
  /** The number of rows that are filled. */
  rows: number;
  /** When the packet reached the link. */
  offeredUs: Float64Array;
  /** Including IPv4 and UDP headers. */
  sizeBytes: Float64Array;
  /** From reaching the queue to the start of its transmission; NaN if it was dropped. */
  queueDelayUs: Float64Array;
  /** When its last bit left the bottleneck, or when it was dropped. */
  departUs: Float64Array;
  /** Index in DROP_REASONS; 0 if it was not dropped. */
  reason: Float64Array;
  /** The number of its RelayFlow, counted from 1; 0 if the relay did not know it yet. */
  flow: Float64Array;
}

/** The link's capacity from `timeUs` until the next change. */
export interface CapacityChange {
  timeUs: number;
  capacityBps: number;
}

export interface DirectionRecord {
  /** In the order in which they departed or were dropped. */
  packets: PacketColumns;
  /** The queue, ten times a second. */
  rows: QueueRow[];
  /** The link's capacity since its start, in time order. */
  capacity: CapacityChange[];
  /**
   * Everything after this time is kept; earlier data are incomplete, since some were dropped as too old or
   * too many. Absent while nothing was dropped.
   */
  keptFromUs?: number;
}

/** A pair of ICE agents that the relay has seen, identified by their user name fragments. */
export interface RelayFlow {
  flow: number;
  /** The user name fragment of the side that offered. */
  offererUfrag: string;
  answererUfrag: string;
}

/** A change that a test made to the link; the first one is its initial state. */
export interface LinkChangeRecord {
  timeUs: number;
  /** For people: what was set, with units. */
  text: string;
}

/** A measurement of lateness over one second. */
export interface LateSecond {
  /** The end of the second. */
  timeUs: number;
  lateMs: number;
}

/** The two directions of a link, with their settings and what happened to their packets. */
export interface PathRecord {
  /** The id of the page that has this link to itself; null for the link that the other pages share. */
  page: number | null;
  changes: LinkChangeRecord[];
  /**
   * With the backend `devtools`, only the capacity is recorded: the browser reports nothing about its queue.
   */
  forward: DirectionRecord | null;
  backward: DirectionRecord | null;
}

export interface LinkRecord extends PathRecord {
  page: null;
  backend: 'shaper' | 'devtools';
  /**
   * The links of single pages: `link.for`. A capacity from before such a link's first change is that of the
   * shared link.
   */
  own: PathRecord[];
  flows: RelayFlow[];
  /** How late the shaper sent packets; null without a shaper, or if it sent none. */
  latenessMs: { p50: number; p95: number; p99: number; packets: number } | null;
  /** The 95th percentile of the same lateness, for each second in which packets were sent. */
  late: LateSecond[];
  /**
   * Times in which no packet passed because the shaper's thread had ended; `toUs` is null while the
   * interruption lasts.
   */
  interruptions: { fromUs: number; toUs: number | null }[];
  /** What went wrong with the link itself. */
  notices: RecordNotice[];
}

/**
 * Video frames that an endpoint received, as reported by encoded transforms or, with the frame source
 * `elements`, by the elements that show them.
 */
export interface FrameColumns {
  rows: number;
  ssrc: Float64Array;
  rtpTimestamp: Float64Array;
  /** Arrival of the frame's last packet if the browser reports it, else the time when the transform saw it. */
  arrivalUs: Float64Array;
  sizeBytes: Float64Array;
  /** 1 for a key frame. */
  keyFrame: Float64Array;
  /** Its spatial and its temporal layer (webrtc-svc); NO_LAYER if the browser does not report them. */
  spatialIndex: Float64Array;
  temporalIndex: Float64Array;
}

/**
 * A pause in which the shown picture did not change. Its length is normally the one that the browser
 * measured; its position is accurate to half a second. The last one of a stream may still be in progress and
 * grow.
 */
export interface Freeze {
  fromUs: number;
  toUs: number;
  /** The stream whose picture it was; absent if unknown. */
  ssrc?: number;
  /**
   * The time of the sample that first showed the freeze, and the start that was assumed then; absent if
   * unknown.
   */
  noticed?: { timeUs: number; fromUs: number };
}

/** An action that was requested on a connection, with its result: done or failed. */
export interface ActionRecord {
  timeUs: number;
  action: Action;
  result: ActionResult;
}

/** One RTCPeerConnection of a page under test. */
export interface EndpointRecord {
  /** Unique in the record, from 0. */
  id: number;
  /** The page that it lives in, counted from 0 in the order of opening. */
  page: number;
  url: string;
  place: 'page' | 'iframe' | 'popup';
  /** Whether its first description was an offer or an answer; null until it has one. */
  role: 'offerer' | 'answerer' | null;
  /** User name fragments that it has had: one, unless ICE was restarted or the media are not bundled. */
  localUfrags: string[];
  remoteUfrags: string[];
  /** `connectionState` over time. */
  states: { timeUs: number; state: RTCPeerConnectionState }[];
  samples: StatsSample[];
  /**
   * The source of frame timing: `transform`; `elements` for a call that ran before it was observed; or `getStats`
   * if timing was not requested, the page has its own transforms, or the browser supports none.
   */
  frameSource: FrameTiming;
  frames: FrameColumns;
  freezes: Freeze[];
  /** Whether its packets pass the link; null until known. */
  routed: boolean | null;
  notices: RecordNotice[];
  /** The actions that were requested on it; absent if there were none. */
  actions?: ActionRecord[];
  /**
   * Its samples, frames and shadows are kept from here on; older ones were dropped. Absent while nothing was
   * dropped.
   */
  keptFromUs?: number;
}

/** Two endpoints that talk to each other, or one endpoint whose far side is not under test. */
export interface ConnectionRecord {
  /** Unique in the record, from 0. */
  id: number;
  /** Ids of endpoints. If the far side is not under test, the page counts as the offerer, whoever offered. */
  offerer: number | null;
  answerer: number | null;
  /**
   * The flows of its packets in the link's record: empty until the relay has seen it, or without a shaper;
   * more than one after an ICE restart or if the media are not bundled.
   */
  flows: number[];
}

/** What controllers that run beside the call report on a video stream that an endpoint received. */
export interface ShadowRecord {
  /**
   * The flow number in the rows of `arrival` and `inbound`, and in those of the first controller: by default
   * Chrome's, from whose rows the delay is taken.
   */
  flow: number;
  endpoint: number;
  ssrc: number;
  /** The controllers, each with the flow number in its rows. */
  flows: readonly ShadowFlow[];
  /**
   * The input rows (`arrival`, `inbound`) once, and the output rows (`group`, `rate` and others) of each
   * controller. Send times are derived from RTP timestamps.
   */
  batches: TraceBatch[];
}

export interface PageRecord {
  id: number;
  /** Counted from 0 in the order in which contexts were observed. */
  context: number;
  url: string;
  /** Null while it is open. */
  ended: { timeUs: number; why: 'closed' | 'crashed' } | null;
}

export interface CallRecord {
  originEpochMs: number;
  pages: PageRecord[];
  endpoints: EndpointRecord[];
  connections: ConnectionRecord[];
  link: LinkRecord | null;
  /** Empty if frames are not observed. */
  shadows: ShadowRecord[];
  /**
   * For each page and second, the largest lateness of a callback in the observer's worker; empty if frames
   * are not observed.
   */
  late: LateSecond[];
  notices: RecordNotice[];
}
