/** The options and the report of `ccscope call`. Keep the report's shape stable. */
import { COMPONENT_SPECS } from '../../core/index.js';
import type { MachineReport } from '../../machine/index.js';
import type { LinkConfig } from '../../link/link_config.js';
import type { VideoCodec } from '../../scenario/video_format.js';
import type { LinkMetrics, Percentiles } from '../../calls/metrics.js';
import type { TargetReport } from '../../calls/targets.js';

export type CallMode = 'control' | 'cap' | 'observe';

/**
 * How busy the simulated machine can be in a twin (a simulation of a call with the same settings): the presets of the
 * component `live_call`.
 */
export const TWIN_MACHINES: readonly string[] = COMPONENT_SPECS.live_call.presets.map(({ name }) => name);
export type TwinMachine = string;

/** The video that a call of ccscope's own page sends. */
export interface SourceReport {
  /** `synthetic`, the name of a content (a clip that ffmpeg makes), or the name of a file. */
  name: string;
  width: number;
  height: number;
  fps: number;
}

export interface CallSource extends SourceReport {
  /** What Chromium plays as its camera; null if the page paints the pictures itself. */
  file: string | null;
}

/** How the calls of one controller are made. */
export interface CallPlan {
  /** A controller of the core, `native`, or the name of a user's file. */
  controller: string;
  /** The controller as it is written in the page's address. */
  text: string;
  mode: CallMode;
  /** The preset of the controller of flow 0; absent for a user's controller. */
  preset?: string;
  set: Readonly<Record<string, number>>;
  /** The shadows (controllers that only watch), as they are written in the page's address. */
  shadows: readonly string[];
  /** The files of users' own controllers, whether in charge or shadows. */
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

/**
 * A controller that only watched. In `observe` mode every controller only watches, and the report of flow 0's
 * controller comes first.
 */
export interface ShadowReport extends TargetReport {
  name: string;
  controller: string;
  preset: string | null;
  parameters: Readonly<Record<string, number>>;
}

/** A failure of a controller during the call, in its half at the sender or at the receiver. */
export interface FaultReport {
  controller: string;
  half: 'sender' | 'receiver';
  flow: number;
  time_us: number;
  message: string;
}

/** The encoder's input and codec at the end of a run. */
export interface SentReport {
  codec: string | null;
  width: number | null;
  height: number | null;
  fps: number | null;
}

/** The picture at the far side at the end of a run; an encoder short of bits sends a smaller picture. */
export interface ReceivedReport {
  width: number | null;
  height: number | null;
  /** The rate of the audio on the wire, over the last two thirds of the run; null without audio. */
  audio_bps: number | null;
}

/** How several calls of the same pages share a direction of the link, over the last two thirds of the run. */
export interface SharesReport {
  /**
   * The rate that each connection received, in the order in which the connections were made. Only connections that
   * carry their media in this direction count.
   */
  received_bps: readonly (number | null)[];
  /** Jain's index of these rates. */
  jain: number | null;
}

/** One call. Absent numbers are null. */
export interface RunReport extends LinkMetrics, TargetReport {
  /**
   * The mode that the call really had: `control` only if it was verified that the controller had taken over the
   * bitrate.
   */
  mode: CallMode;
  /**
   * The share of the capacity that TCP cross traffic took, over the last two thirds of the run; 0 without cross
   * traffic.
   */
  cross_utilisation: number;
  /** How often the detector entered overuse. */
  overuse_count: number;
  /** Decoded frames per second over the last two thirds of the run. */
  fps: number | null;
  /**
   * `freeze_count`: the number of freezes over the whole run. `longest_freeze_s`: the length of the longest freeze.
   */
  freeze_count: number | null;
  longest_freeze_s: number | null;
  shaper_lateness_ms: Percentiles;
  /** Null for calls of other pages. */
  sent: SentReport | null;
  /** Only if the pages made several calls at the same time. */
  shares?: SharesReport;
  /** Null for calls of other pages, and in a twin, which has no pictures. */
  received: ReceivedReport | null;
  machine: MachineReport;
  shadows: ShadowReport[];
  /** Faults of users' controllers, or of the core. */
  controller_faults: FaultReport[];
  /** The notices of the pages and of the link. */
  notices: string[];
}

export interface Spread {
  median: number | null;
  min: number | null;
  max: number | null;
}

/** Medians and ranges over the runs; a time that was never reached counts as longer than any other. */
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
  /** The addresses of the pages that made the calls; absent for ccscope's own page. */
  urls?: readonly string[];
  /**
   * The preset of the controller, or of the first shadow if the browser decides the bitrate; null for a
   * user's controller.
   */
  preset: string | null;
  /** Parameters that differ from the preset. */
  parameters: Readonly<Record<string, number>>;
  /** `source`, `codec` and `audio` are absent if the pages decide them. */
  source?: SourceReport;
  codec?: VideoCodec;
  audio?: boolean;
  /** Set if the calls were simulated; absent for real calls. */
  twin?: true;
  /** For simulated calls: how busy the simulated machine was. */
  machine?: TwinMachine;
  link: LinkConfig;
  duration_s: number;
  browser: string;
  runs: RunReport[];
  /**
   * Runs that were repeated because the machine was overloaded (`--until-quiet`). They are not part of any summary.
   */
  set_aside: RunReport[];
  /** How many of `runs` were made on an overloaded machine. */
  overloaded_runs: number;
  summary: Summary;
}

/**
 * A metric of the first controller divided by the same metric of the second controller: the ratio of the medians, and
 * the spread of the ratios of single runs.
 */
export interface Ratio extends Spread {
  of_medians: number | null;
}

export type Ratios = Partial<Record<SummaryKey, Ratio>>;

export interface CallReport extends ControllerReport {
  /** The reports of the other controllers by name, and the ratios of the first controller to the second. */
  comparison?: { ratios: Ratios; [controller: string]: ControllerReport | Ratios };
}

/** The other controllers of a comparison. */
export function comparedWith({ comparison = { ratios: {} } }: CallReport): ControllerReport[] {
  const { ratios: _, ...others } = comparison;
  return Object.values(others) as ControllerReport[];
}
