/** What `ccscope call` is asked for and what it reports. Keep the report's shape stable. */
import { COMPONENT_SPECS } from '../../core/index.js';
import type { MachineReport } from '../../machine/index.js';
import type { LinkConfig } from '../../link/link_config.js';
import type { VideoCodec } from '../../scenario/video_format.js';
import type { LinkMetrics, Percentiles } from '../../calls/metrics.js';

export type CallMode = 'control' | 'cap' | 'observe';

/** Presets of the component `live_call`: how busy the machine is on which a twin's call is made. */
export const TWIN_MACHINES: readonly string[] = COMPONENT_SPECS.live_call.presets.map(({ name }) => name);
export type TwinMachine = string;

/** The pictures that a call of our own page sends. */
export interface SourceReport {
  /** `synthetic`, a content by its name, or the name of a file. */
  name: string;
  width: number;
  height: number;
  /** Frames per second. */
  fps: number;
}

export interface CallSource extends SourceReport {
  /** What Chromium plays as its camera; null where the page paints the pictures itself. */
  file: string | null;
}

/** One controller's calls: how each is made. */
export interface CallPlan {
  /** A controller of the core, `native`, or the name of a user's file. */
  controller: string;
  /** It in the page's address. */
  text: string;
  mode: CallMode;
  /** The preset of flow 0; left out for a user's own controller. */
  preset?: string;
  set: Readonly<Record<string, number>>;
  /** Who only watches, as the page's address has them. */
  shadows: readonly string[];
  /** The user's controllers among all these. */
  files: readonly { name: string; path: string }[];
  source: CallSource;
  codec: VideoCodec;
  /** Whether a voice is sent beside the video. */
  audio: boolean;
  link: LinkConfig;
  durationMs: number;
  keyFrameIntervalS: number;
  sourceMaxBps: number;
  seed: number;
}

/** What a controller asked for, or would have asked for; over the last two thirds of the run, but for the last. */
export interface TargetReport {
  /** Over time. */
  target_mean_bps: number | null;
  /** Percentiles over time of the target as a share of the capacity. */
  target_of_capacity: { p5: number | null; p50: number | null; p95: number | null };
  /** At the end. */
  target_final_bps: number | null;
}

/** A controller that only watched: in `observe` mode all of them, flow 0 first. */
export interface ShadowReport extends TargetReport {
  name: string;
  controller: string;
  preset: string | null;
  parameters: Readonly<Record<string, number>>;
}

/** A half of a controller that failed while the call went on. */
export interface FaultReport {
  controller: string;
  half: 'sender' | 'receiver';
  flow: number;
  time_us: number;
  message: string;
}

/** What the encoder was given, and its codec, at the end of a run. */
export interface SentReport {
  codec: string | null;
  width: number | null;
  height: number | null;
  fps: number | null;
}

/** What came out at the far side at the end of a run; an encoder short of bits sends a smaller picture. */
export interface ReceivedReport {
  width: number | null;
  height: number | null;
  /** As on the wire, over the last two thirds; null without audio. */
  audio_bps: number | null;
}

/** How the calls of somebody's own pages share a direction of the link, over the last two thirds of the run. */
export interface SharesReport {
  /** What each connection received that carries its media this way, in the order in which they were made. */
  received_bps: readonly (number | null)[];
  /** Jain's index of these. */
  jain: number | null;
}

/** One call. Absent numbers are null. */
export interface RunReport extends LinkMetrics, TargetReport {
  /** The mode that was in force: `control` only where the takeover was verified. */
  mode: CallMode;
  /** What TCP cross traffic took of the capacity, over the last two thirds of the run; 0 without any. */
  cross_utilisation: number;
  /** How often the detector went into overuse. */
  overuse_count: number;
  /** Decoded frames per second over the last two thirds. */
  fps: number | null;
  /** Over the whole run. */
  freeze_count: number | null;
  longest_freeze_s: number | null;
  shaper_lateness_ms: Percentiles;
  /** Null for somebody's own pages. */
  sent: SentReport | null;
  /** Only where somebody's own pages made several calls beside each other. */
  shares?: SharesReport;
  /** Null for those, and in a twin, which has no pictures. */
  received: ReceivedReport | null;
  machine: MachineReport;
  shadows: ShadowReport[];
  /** Those of users' controllers, or of the core. */
  controller_faults: FaultReport[];
  /** What the page told its user. */
  notices: string[];
}

export interface Spread {
  median: number | null;
  min: number | null;
  max: number | null;
}

/** Medians and ranges over the runs; a time that was never reached counts as longer than any. */
export type Summary = Record<SummaryKey, Spread>;

export const SUMMARY_KEYS = [
  'utilisation',
  'cross_utilisation',
  'queue_delay_p50_ms',
  'queue_delay_p95_ms',
  'queue_delay_p99_ms',
  'loss_ratio',
  'time_to_90pct_s',
  'overuse_count',
  'fps',
  'freeze_count',
  'longest_freeze_s',
  'drops',
] as const;
export type SummaryKey = (typeof SUMMARY_KEYS)[number];

export interface ControllerReport {
  mode: CallMode;
  controller: string;
  /** Somebody's own pages that made the calls; absent for ours. */
  urls?: readonly string[];
  /** The preset of the controller, or of the first shadow where the browser is in charge; null for a user's own. */
  preset: string | null;
  /** Parameters that differ from the preset. */
  parameters: Readonly<Record<string, number>>;
  /** These three are absent where somebody's own pages decide them. */
  source?: SourceReport;
  codec?: VideoCodec;
  audio?: boolean;
  /** The calls were simulated; absent for real ones. */
  twin?: true;
  /** How busy the machine was that the twin was simulated on. */
  machine?: TwinMachine;
  link: LinkConfig;
  duration_s: number;
  browser: string;
  runs: RunReport[];
  /** Runs on an overloaded machine that were made again (`--until-quiet`): in no summary. */
  set_aside: RunReport[];
  /** How many of `runs` were made on an overloaded machine. */
  overloaded_runs: number;
  summary: Summary;
}

/** The ratio of the first controller to the other: of their medians, and the spread of the ratios run by run. */
export interface Ratio extends Spread {
  of_medians: number | null;
}

export type Ratios = Partial<Record<SummaryKey, Ratio>>;

export interface CallReport extends ControllerReport {
  /** The other controllers by name, and the ratios of the first to the second. */
  comparison?: { ratios: Ratios; [controller: string]: ControllerReport | Ratios };
}

/** The other controllers of a comparison. */
export function comparedWith({ comparison = { ratios: {} } }: CallReport): ControllerReport[] {
  const { ratios: _, ...others } = comparison;
  return Object.values(others) as ControllerReport[];
}
