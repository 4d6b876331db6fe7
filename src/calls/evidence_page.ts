/**
 * The data of the charts on the evidence page of a call under test: tables with columns over time, and marked
 * times. Node writes the data as JSON into the page (src/evidence). The page's script reads them
 * (src/app/evidence). Times are in microseconds from the call's origin; null stands for a missing value.
 */

/** Columns of equal length, in ascending `time_us`. */
export type EvidenceTable = Record<string, (number | null)[]>;

/**
 * The subject of a curve: the flow whose column in `rates` is `flow_<id>_bps`, or the endpoint whose column
 * in `video` is `endpoint_<id>_fps`.
 */
export interface EvidenceSource {
  id: number;
  label: string;
}

/** One direction of the link, with the data of the traffic in this direction. */
export interface EvidenceDirection {
  name: 'forward' | 'backward';
  /** A name for display, for example `from the offerer to the answerer`. */
  label: string;
  /**
   * The tables and their columns: `capacity` {capacity_bps}, `rates` {link_bps, flow_N_bps}, `packets`
   * {queue_delay_ms}, `delays` {p50_ms, p95_ms}, `loss` {loss_ratio, random, queue}, `media` {target_bps,
   * estimate_bps, received_bps}, `group` (columns as in traces), `video` {endpoint_N_fps}. A table without
   * rows is omitted.
   */
  tables: Record<string, EvidenceTable>;
  /** Connections that share the link; if there are several, each gets its own curve. */
  flows: EvidenceSource[];
  receivers: EvidenceSource[];
  /** Percentiles of the queuing delay, which may be estimated; null if no delay is known. */
  queueDelayMs: { p50: number; p95: number } | null;
  /** The rate changes that the shadows (controllers that only watched the call) would have made. */
  reasons: EvidenceReasons[];
  /** Whether queuing delays are estimated from frames or round trips, because there is no record of packets. */
  delaysAreEstimates: boolean;
}

/** Why a shadow would have changed its target rate: one line for each change. */
export interface EvidenceReasons {
  /** The controller, and the stream that it watched. */
  label: string;
  /** In time order; `timeUs` is the time of the change. */
  lines: { timeUs: number; down: boolean; text: string }[];
}

/** A point in time that is marked in every chart. */
export interface EvidenceMark {
  timeUs: number;
  text: string;
}

/** A labelled period in the chart of events. The chart has at least one row (lane) for each kind of event. */
export interface EvidenceSpan {
  /** The index of its lane in `lanes`. */
  lane: number;
  fromUs: number;
  toUs: number;
  text: string;
  tone: 'good' | 'bad' | 'plain' | 'soft';
}

export interface EvidenceCharts {
  durationUs: number;
  directions: EvidenceDirection[];
  /** Changes of the link. The first one stands for the link's initial settings, and is not drawn. */
  marks: EvidenceMark[];
  /** Names of the lanes. If events of one kind overlap, they take further lanes, whose names are empty. */
  lanes: string[];
  spans: EvidenceSpan[];
  /** Video freezes. All charts except the chart of events shade them. */
  freezes: { fromUs: number; toUs: number }[];
}
