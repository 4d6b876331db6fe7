/**
 * The record of a call under test. It contains the reports of the call's pages on their peer connections, and
 * the link's log of their packets. The record grows during the call; judgements and charts only read it. All
 * times are in microseconds from the record's origin.
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
 * `forward` is from the side that offered to the side that answered, with two exceptions. If the far side is
 * not a page under test, `forward` is the page's upload, whoever offered. If only one of two pages has its
 * own link (`link.for`), `forward` is the upload of that page.
 */
export type { Direction };

/** Packets of a call at the link. They are stored as columns, since there are many. */
export interface PacketColumns {
  /** The number of rows that are filled. */
  rows: number;
  /** When the packet reached the link. */
  offeredUs: Float64Array;
  /** The size of the packet, including IPv4 and UDP headers. */
  sizeBytes: Float64Array;
  /** The time from reaching the queue to the start of the packet's transmission; NaN if the packet was dropped. */
  queueDelayUs: Float64Array;
  /** When the packet's last bit left the bottleneck, or when the packet was dropped. */
  departUs: Float64Array;
  /** Index in DROP_REASONS; 0 if the packet was not dropped. */
  reason: Float64Array;
  /** The number of the packet's RelayFlow, counted from 1; 0 if the relay did not know the flow yet. */
  flow: Float64Array;
}

/** The link's capacity from `timeUs` until the next change. */
export interface CapacityChange {
  timeUs: number;
  capacityBps: number;
}

export interface DirectionRecord {
  /** The packets, in the order in which they departed or were dropped. */
  packets: PacketColumns;
  /** Samples of the queue, ten per second. */
  rows: QueueRow[];
  /** The link's capacity since its start, in time order. */
  capacity: CapacityChange[];
  /**
   * All data after this time are kept. Some of the earlier data were dropped, because they were too old or too many.
   * Absent if nothing was dropped.
   */
  keptFromUs?: number;
}

/** A pair of ICE agents that the relay has seen, identified by their username fragments. */
export interface RelayFlow {
  flow: number;
  /** The username fragment of the side whose packets go `forward` (see Direction). */
  offererUfrag: string;
  answererUfrag: string;
}

/** A change that a test made to the link. The first entry of `changes` is the link's initial state. */
export interface LinkChangeRecord {
  timeUs: number;
  /** The changed settings as readable text, with units. */
  text: string;
}

/** A measurement of lateness over one second. */
export interface LateSecond {
  /** The end of the second. */
  timeUs: number;
  lateMs: number;
}

/** The two directions of a link: changes of the settings, and the log of the packets. */
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
   * The pages' own links, created with `link.for`. Before the first change of such a link, its recorded capacity is
   * that of the shared link.
   */
  own: PathRecord[];
  flows: RelayFlow[];
  /** How late the shaper sent packets; null if there is no shaper, or if it sent no packets. */
  latenessMs: { p50: number; p95: number; p99: number; packets: number } | null;
  /** The 95th percentile of the same lateness, for each second in which packets were sent. */
  late: LateSecond[];
  /**
   * Periods in which no packet passed because the shaper's thread had ended; `toUs` is null while the interruption
   * lasts.
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
  /**
   * When the frame's last packet arrived or, if the browser does not report this, when the transform saw the
   * frame.
   */
  arrivalUs: Float64Array;
  sizeBytes: Float64Array;
  /** 1 for a key frame, else 0. */
  keyFrame: Float64Array;
  /** The frame's spatial and temporal layer (webrtc-svc); NO_LAYER if the browser does not report them. */
  spatialIndex: Float64Array;
  temporalIndex: Float64Array;
}

/**
 * A period in which the shown picture did not change. Its length is normally measured by the browser. Its position is
 * accurate to half a second. The last freeze of a stream may still be in progress and grow.
 */
export interface Freeze {
  fromUs: number;
  toUs: number;
  /** The stream that froze; absent if unknown. */
  ssrc?: number;
  /**
   * `timeUs`: the time of the sample in which the freeze was first seen. `fromUs`: the start of the freeze as
   * assumed at that sample. Absent if unknown.
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
  /** The id of the connection's page. Pages are numbered from 0 in the order of opening. */
  page: number;
  url: string;
  place: 'page' | 'iframe' | 'popup';
  /** Whether the first local description was an offer or an answer; null until there is one. */
  role: 'offerer' | 'answerer' | null;
  /** The endpoint's ICE username fragments so far: one, unless ICE was restarted or the media are not bundled. */
  localUfrags: string[];
  remoteUfrags: string[];
  /** `connectionState` over time. */
  states: { timeUs: number; state: RTCPeerConnectionState }[];
  samples: StatsSample[];
  /**
   * The source of frame timing: `transform`; `elements` if frames are timed when they are shown; or
   * `getStats` if frames are not timed individually, for instance because the page has its own transforms.
   */
  frameSource: FrameTiming;
  frames: FrameColumns;
  freezes: Freeze[];
  /** Whether the endpoint's packets go through the link; null until known, and without a relay. */
  routed: boolean | null;
  notices: RecordNotice[];
  /** The actions that were requested on this connection; absent if there were none. */
  actions?: ActionRecord[];
  /**
   * Samples, frames and shadows of the endpoint are kept from this time on; older data were dropped. Absent if
   * nothing was dropped.
   */
  keptFromUs?: number;
}

/** Two endpoints that talk to each other, or one endpoint whose far side is not under test. */
export interface ConnectionRecord {
  /** Unique in the record, from 0. */
  id: number;
  /**
   * `offerer` and `answerer`: ids of endpoints. If the far side is not under test, the page is recorded as the
   * offerer, whoever offered.
   */
  offerer: number | null;
  answerer: number | null;
  /**
   * Numbers of the RelayFlows that carry the connection's packets. Empty without a shaper, or until the relay
   * has seen the connection. More than one after an ICE restart or if the media are not bundled.
   */
  flows: number[];
}

/**
 * Reports on one video stream that an endpoint received. They come from shadows: controllers that watch the
 * call without controlling it.
 */
export interface ShadowRecord {
  /**
   * The flow number in the input rows (`arrival`, `inbound`) and in the rows of the first controller. By default, the
   * first controller is Chrome's, whose `group` rows contain the delays of packet groups.
   */
  flow: number;
  endpoint: number;
  ssrc: number;
  /** The controllers, each with the flow number in its rows. */
  flows: readonly ShadowFlow[];
  /**
   * The input rows (`arrival`, `inbound`), recorded once for all controllers, and the output rows (`group`,
   * `rate` and others) of each controller. Send times are derived from RTP timestamps.
   */
  batches: TraceBatch[];
}

export interface PageRecord {
  id: number;
  /**
   * The number of the page's browser context, counted from 0 in the order in which contexts were observed.
   */
  context: number;
  url: string;
  /** Null while the page is open. */
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
