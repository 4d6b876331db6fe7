/** The options and the report of `ccscope call`. Keep the report's shape stable. */
import { COMPONENT_SPECS } from '../../core/index.js';
import type { MachineReport } from '../../machine/index.js';
import type { LinkConfig } from '../../link/link_config.js';
import type { VideoCodec } from '../../scenario/video_format.js';
import type { LinkMetrics, Percentiles } from '../../calls/metrics.js';
import type { TargetReport } from '../../calls/targets.js';

export type CallMode = 'control' | 'cap' | 'observe';

/**
 * The loads of the simulated machine in a twin (a simulation of a call with the same settings): the presets of
 * the component `live_call`.
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
  /** The file that Chromium plays as its camera. Null if the page paints the video itself. */
  file: string | null;
}

/** The settings for the calls of one controller. */
export interface CallPlan {
  /** The name of a controller of the core, `native` (the browser's own), or the name of a user's file. */
  controller: string;
  /** The controller in the syntax of the page's address. */
  text: string;
  mode: CallMode;
  /** The preset of the controller of flow 0; absent for a user's controller. */
  preset?: string;
  set: Readonly<Record<string, number>>;
  /** The shadows (controllers that only watch), in the syntax of the page's address. */
  shadows: readonly string[];
  /** The files of users' controllers, both of the controller in charge and of shadows. */
  files: readonly { name: string; path: string }[];
  source: CallSource;
  codec: VideoCodec;
  /** Whether speech is sent in addition to the video. */
  audio: boolean;
  link: LinkConfig;
  durationMs: number;
  keyFrameIntervalS: number;
  sourceMaxBps: number;
  seed: number;
}

/**
 * The report on a controller that only watched. In `observe` mode all controllers only watch, and the report on
 * flow 0's controller comes first.
 */
export interface ShadowReport extends TargetReport {
  name: string;
  controller: string;
  preset: string | null;
  parameters: Readonly<Record<string, number>>;
}

/** A failure of a controller during the call, in its sender half or its receiver half. */
export interface FaultReport {
  controller: string;
  half: 'sender' | 'receiver';
  flow: number;
  time_us: number;
  message: string;
}

/** The encoder's codec, and the size and frame rate of its input, at the end of a run. */
export interface SentReport {
  codec: string | null;
  width: number | null;
  height: number | null;
  fps: number | null;
}

/** The size of the received pictures at the end of a run. At a low bitrate, the encoder sends smaller pictures. */
export interface ReceivedReport {
  width: number | null;
  height: number | null;
  /** The received audio rate over the last two thirds of the run. Null if the call has no audio. */
  audio_bps: number | null;
}

/** How several simultaneous connections share one direction of the link, over the last two thirds of the run. */
export interface SharesReport {
  /**
   * The rate that each connection received, in the order in which the connections were made. Contains only the
   * connections that carry most of their media in this direction.
   */
  received_bps: readonly (number | null)[];
  /** Jain's index of these rates. */
  jain: number | null;
}

/** The report of one run. Null stands for a number that is unknown or does not exist. */
export interface RunReport extends LinkMetrics, TargetReport {
  /**
   * The mode that actually applied. It is `control` only if it was verified that the controller had taken over
   * the bitrate.
   */
  mode: CallMode;
  /**
   * The share of the capacity that TCP cross traffic took, over the last two thirds of the run; 0 without cross
   * traffic. Null if the capacity was 0 all this time.
   */
  cross_utilisation: number | null;
  /** How often the overuse detector entered the state overuse. Null if no detector watched. */
  overuse_count: number | null;
  /** Decoded frames per second over the last two thirds of the run. */
  fps: number | null;
  /**
   * `freeze_count` and `longest_freeze_s` cover the whole run. A picture that has not moved for a second at its end is
   * frozen. Null if no video was received.
   */
  freeze_count: number | null;
  longest_freeze_s: number | null;
  shaper_lateness_ms: Percentiles;
  /** Null if the calling pages are not part of ccscope. */
  sent: SentReport | null;
  /** Present only if the pages made several connections at the same time. */
  shares?: SharesReport;
  /** Null if the calling pages are not part of ccscope, and in a twin, which has no pictures. */
  received: ReceivedReport | null;
  machine: MachineReport;
  /**
   * What got worse in the call and why: rows of `incidentRow`, in time order. Present only if the calling pages
   * are not part of ccscope.
   */
  incidents?: readonly Record<string, unknown>[];
  /**
   * When the run began, in seconds of the recording, as the times of `incidents`. Present only with `incidents`. The
   * times of `steps` count from the beginning of the run.
   */
  began_at_s?: number;
  shadows: ShadowReport[];
  /** The faults of controllers, both of users' controllers and of the core's. */
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
   * The controller's preset. If the browser decides the bitrate: the preset of the first shadow. Null for a
   * user's controller.
   */
  preset: string | null;
  /** Parameters that differ from the preset. */
  parameters: Readonly<Record<string, number>>;
  /** `source`, `codec` and `audio` are absent if the calling pages are not part of ccscope: they choose their own. */
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
   * Runs that were repeated because the machine was overloaded (`--until-quiet`). The summary does not include
   * them.
   */
  set_aside: RunReport[];
  /** How many of `runs` were made on an overloaded machine. */
  overloaded_runs: number;
  summary: Summary;
}

/**
 * A metric of the first controller divided by the same metric of the second controller. `of_medians` is the ratio
 * of the medians. The fields of `Spread` describe the ratios of individual runs.
 */
export interface Ratio extends Spread {
  of_medians: number | null;
}

export type Ratios = Partial<Record<SummaryKey, Ratio>>;

export interface CallReport extends ControllerReport {
  /** The reports of the other controllers by name, and the ratios of the first controller to the second one. */
  comparison?: { ratios: Ratios; [controller: string]: ControllerReport | Ratios };
}

/** The reports of the other controllers in a comparison. */
export function comparedWith({ comparison = { ratios: {} } }: CallReport): ControllerReport[] {
  const { ratios: _, ...others } = comparison;
  return Object.values(others) as ControllerReport[];
}
