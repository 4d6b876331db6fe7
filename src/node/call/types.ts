/** What `ccscope call` is asked for and what it reports. Keep the report's shape stable. */
import type { LinkConfig } from '../../scenario/link_config.js';
import type { LinkMetrics, Percentiles } from '../metrics.js';

export type Controller = 'gcc' | 'native';
export type CallMode = 'control' | 'cap' | 'observe';

export interface CallPlan {
  controller: Controller;
  mode: CallMode;
  preset: string;
  set: Readonly<Record<string, number>>;
  link: LinkConfig;
  durationMs: number;
  keyFrameIntervalS: number;
  sourceMaxBps: number;
  seed: number;
}

/** One call. Absent numbers are null. */
export interface RunReport extends LinkMetrics {
  /** The mode that was in force: `control` only where the takeover was verified. */
  mode: CallMode;
  /** How often the detector went into overuse. */
  overuse_count: number;
  /** Decoded frames per second over the last two thirds. */
  fps: number | null;
  /** Over the whole run. */
  freeze_count: number | null;
  longest_freeze_s: number | null;
  shaper_lateness_ms: Percentiles;
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
  controller: Controller;
  preset: string;
  /** Parameters that differ from the preset. */
  parameters: Readonly<Record<string, number>>;
  link: LinkConfig;
  duration_s: number;
  browser: string;
  runs: RunReport[];
  summary: Summary;
}

/** Of the first controller to the other: of the medians, and the spread of the ratios run by run. */
export interface Ratio extends Spread {
  of_medians: number | null;
}

export interface CallReport extends ControllerReport {
  comparison?: Partial<Record<Controller, ControllerReport>> & { ratios: Partial<Record<SummaryKey, Ratio>> };
}
