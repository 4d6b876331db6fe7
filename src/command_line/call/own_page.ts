/** Builds the address of ccscope's Call page, and queries the page through its object `window.ccscope`. */
import type { Page } from 'playwright-core';

import type { ControllerFault } from '../../core/index.js';
import { VIDEO_SIZE_NAMES, VIDEO_SIZES } from '../../scenario/video_format.js';
import type { MachineState } from '../../machine/index.js';
import { boundsOf } from '../../twin/options.js';
import { FailedRun } from '../../text/errors.js';
import type { TargetRows } from '../../calls/targets.js';
import type { CallMode, CallPlan, CallSource } from './types.js';

const ANSWER_TIMEOUT_MS = 30_000;
/** Longer than ANSWER_TIMEOUT_MS, since the trace of a call of several hours is large. */
const TRACE_TIMEOUT_MS = 300_000;

/** The page's state (`window.ccscope` of the Call page). */
export interface PageState {
  phase: string;
  /** The name of the local server's link that the page has joined. Null before it has joined one. */
  link: string | null;
  status: {
    effectiveMode: CallMode;
    controllerFaults: readonly ControllerFault[];
    machine: MachineState | null;
  } | null;
  notices: readonly { level: string; message: string; fix: string }[];
  urlProblems: readonly { field: string; got: string; expected: string }[];
}
export interface PageMedia {
  framesDecoded: number;
  freezeCount: number;
  longestFreezeS: number;
  width: number;
  height: number;
  sourceWidth: number;
  sourceHeight: number;
  sourceFps: number;
  codec: string | null;
  audioBytesReceived: number;
}
export interface PageCounters {
  overuseCount: number | null;
}
/** A controller of the call, and its target rates. In a list, the controller of flow 0 comes first. */
export interface PageTargets extends TargetRows {
  flow: number;
  name: string;
  controller: string;
  preset: string | null;
  parameters: Readonly<Record<string, number>>;
}

/**
 * The size and frame rate of the synthetic video that the page paints. Empty for a camera that plays a file,
 * since the file determines both.
 */
function formatOf({ file, width, height, fps }: CallSource): Record<string, string> {
  if (file !== null) return {};
  const size = VIDEO_SIZE_NAMES.find(
    (name) => VIDEO_SIZES[name].width === width && VIDEO_SIZES[name].height === height,
  );
  return { fps: String(fps), ...(size === undefined ? {} : { size }) };
}

/**
 * The address of the Call page; its query contains all settings of the plan. The page joins the link named
 * `link`.
 */
export function pageUrl(url: string, plan: CallPlan, link: string): string {
  const bounds = boundsOf(plan.sourceMaxBps);
  const query = new URLSearchParams({
    autostart: '1',
    source: plan.source.file === null ? 'synthetic' : 'camera',
    ...formatOf(plan.source),
    codec: plan.codec,
    audio: plan.audio ? '1' : '0',
    bottleneck: 'shaper',
    link,
    controller: plan.text,
    mode: plan.mode,
    ...(plan.preset === undefined ? {} : { preset: plan.preset }),
    shadow: plan.shadows.join(','),
    min_bps: String(bounds.minBps),
    start_bps: String(bounds.startBps),
    max_bps: String(plan.sourceMaxBps),
    // The seed of the link, and of the synthetic camera.
    seed: String(plan.seed),
    key_frame_interval_s: String(plan.keyFrameIntervalS),
  });
  for (const [name, value] of Object.entries(plan.set)) query.set(`set.${name}`, String(value));
  return `${url}?${query.toString()}`;
}

/** Sends queries to the page. Every query throws FailedRun if the page does not answer. */
export class OwnPage {
  constructor(private readonly page: Page) {}

  state(): Promise<PageState> {
    return this.#ask('state()');
  }

  media(): Promise<PageMedia | null> {
    return this.#ask('media()');
  }

  counters(): Promise<PageCounters> {
    return this.#ask('counters()');
  }

  targets(): Promise<PageTargets[]> {
    return this.#ask('targets()');
  }

  exportTrace(): Promise<string> {
    return this.#ask('exportTrace()', TRACE_TIMEOUT_MS);
  }

  async #ask<T>(question: string, timeoutMs = ANSWER_TIMEOUT_MS): Promise<T> {
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<never>((_, reject) => {
      const limit = `for ${timeoutMs / 1e3} s`;
      timer = setTimeout(
        () => reject(new FailedRun(`the page did not answer ${limit}; ${REMEDY}`)),
        timeoutMs,
      );
    });
    const answer = this.page.evaluate<T>(`window.ccscope.${question}`).catch((error: unknown) => {
      const why = error instanceof Error ? error.message.split('\n')[0] : String(error);
      throw new FailedRun(`the page did not answer (${why}); ${REMEDY}`);
    });
    try {
      return await Promise.race([answer, late]);
    } finally {
      clearTimeout(timer);
    }
  }
}

const REMEDY = 'run the call again when the machine is less busy';
