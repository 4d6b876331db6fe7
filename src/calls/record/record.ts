/**
 * The record of a call under test: what its pages reported about their peer connections, and what the link did to
 * their packets. It grows during the call; judgements and charts only read it. Every time counts in microseconds
 * from the record's origin.
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
 * The direction: `forward` is from the side that offered to the side that answered, and from a page to a far side
 * that is not a page, whoever offered: its upload.
 */
export type { Direction };

/** Packets of a call at the link, as columns, since there are many. */
export interface PacketColumns {
  /** The number of rows that are filled. */
  rows: number;
  /** When it reached the link. */
  offeredUs: Float64Array;
  /** With IPv4 and UDP headers. */
  sizeBytes: Float64Array;
  /** From reaching the queue to the start of its transmission; NaN if it was dropped. */
  queueDelayUs: Float64Array;
  /** When its last bit left the bottleneck, or when it was dropped. */
  departUs: Float64Array;
  /** Index in DROP_REASONS; 0 if it was not dropped. */
  reason: Float64Array;
  /** The connection that it belongs to, as the relay counts them from 1. */
  flow: Float64Array;
}

/** A capacity that the link had from a time on. */
export interface CapacityChange {
  timeUs: number;
  capacityBps: number;
}

export interface DirectionRecord {
  /** In the order in which they departed or were dropped. */
  packets: PacketColumns;
  /** The queue, ten times a second. */
  rows: QueueRow[];
  /** What the capacity was, from the link's start on, in time order. */
  capacity: CapacityChange[];
  /**
   * From here on everything is kept; of what came before, parts were dropped as too much or too old. Absent while
   * nothing was dropped.
   */
  keptFromUs?: number;
}

/** A pair of ICE agents that the relay has seen, by their user name fragments. */
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
  /** Its end. */
  timeUs: number;
  lateMs: number;
}

/** Both directions between two sides: their settings, and what happened to packets. */
export interface PathRecord {
  /** The page (its id) that it belongs to; null for the shared one. */
  page: number | null;
  changes: LinkChangeRecord[];
  /** With the backend `devtools` only its capacity: the browser reports nothing about its queue. */
  forward: DirectionRecord | null;
  backward: DirectionRecord | null;
}

export interface LinkRecord extends PathRecord {
  page: null;
  backend: 'shaper' | 'devtools';
  /** The links of single pages: `link.for`. A capacity from before the first change is that of the shared one. */
  own: PathRecord[];
  flows: RelayFlow[];
  /** The lateness of sent packets; null without a shaper or packets. */
  latenessMs: { p50: number; p95: number; p99: number; packets: number } | null;
  /** Its 95th percentile, for each second in which packets were sent. */
  late: LateSecond[];
  /**
   * Times in which no packet passed because the shaper's thread had ended; an end of null means that it lasts.
   */
  interruptions: { fromUs: number; toUs: number | null }[];
  /** What went wrong with the link itself. */
  notices: RecordNotice[];
}

/** Video frames that an endpoint received, from encoded transforms. */
export interface FrameColumns {
  rows: number;
  ssrc: Float64Array;
  rtpTimestamp: Float64Array;
  /** Arrival of the frame's last packet if the browser reports it, else the time when the transform saw it. */
  arrivalUs: Float64Array;
  sizeBytes: Float64Array;
  /** 1 for a key frame. */
  keyFrame: Float64Array;
  /** Its layers (webrtc-svc); NO_LAYER if the browser does not report it. */
  spatialIndex: Float64Array;
  temporalIndex: Float64Array;
}

/**
 * A pause in which the shown picture did not change. Its length is the browser's; its position is accurate to
 * half a second. The last one of a stream may still be in progress and grow.
 */
export interface Freeze {
  fromUs: number;
  toUs: number;
  /** The stream whose picture it was; absent if unknown. */
  ssrc?: number;
  /** The sample at which it was first known, and when it seemed to have started then; absent if unknown. */
  noticed?: { timeUs: number; fromUs: number };
}

/** An action on a call on command, or the failure of one. */
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
  /** The side that its first description made it; null before. */
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
  /** The actions on it; absent while there were none. */
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
  /** Ids of endpoints. A page whose far side is not under test has the offerer's seat, whoever offered. */
  offerer: number | null;
  answerer: number | null;
  /**
   * The flows of its packets in the link's record: empty until the relay saw it, and without a shaper; more than
   * one after an ICE restart or if the media are not bundled.
   */
  flows: number[];
}

/** What controllers that run beside the call report on a video stream that an endpoint received. */
export interface ShadowRecord {
  /**
   * The flow of the arrivals in the rows, which is also that of the first controller: Chrome's, for the delay.
   */
  flow: number;
  endpoint: number;
  ssrc: number;
  /** The controllers, each with the flow of its rows. */
  flows: readonly ShadowFlow[];
  /** Rows of `arrival`, `inbound`, `group`, `rate`. Send times are derived from RTP timestamps. */
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
   * The largest lateness of a callback of the observer's worker in each page, for each second; empty if frames
   * are not observed.
   */
  late: LateSecond[];
  notices: RecordNotice[];
}
