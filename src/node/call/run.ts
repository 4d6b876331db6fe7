/** One real call in a headless Chromium, through the shaper of the local server. */
import { setTimeout as sleep } from 'node:timers/promises';

import type { Page } from 'playwright-core';

import type { ControllerFault } from '../../core/index.js';
import { parseSchedule } from '../../scenario/link_config.js';
import { FailedRun } from '../errors.js';
import { capacityBits, linkMetrics } from '../metrics.js';
import type { Shaper } from '../shaper/shaper.js';
import { launchChromium } from './chromium.js';
import { targetReport, type TargetRows } from './targets.js';
import type { CallMode, CallPlan, FaultReport, RunReport } from './types.js';

const CONNECT_TIMEOUT_MS = 30_000;
const POLL_MS = 250;

/** What the page says of itself (`window.ccscope` of the Call page). */
interface PageState {
  phase: string;
  status: { effectiveMode: CallMode; controllerFaults: readonly ControllerFault[] } | null;
  notices: readonly { level: string; message: string; fix: string }[];
  urlProblems: readonly { field: string; got: string; expected: string }[];
}
interface PageMedia {
  framesDecoded: number;
  freezeCount: number;
  longestFreezeS: number;
}
interface PageCounters {
  overuseCount: number;
}
/** A controller of the call, flow 0 first. */
interface PageTargets extends TargetRows {
  flow: number;
  name: string;
  controller: string;
  preset: string | null;
  parameters: Readonly<Record<string, number>>;
}

/** The local server with our own page. */
export interface CallServer {
  /** Address of its app. */
  url: string;
  /** The link that the next page opens. */
  nextShaper(): Promise<Shaper>;
}

export interface RunContext {
  signal: AbortSignal;
  /** Told of the share of the run that is over. */
  onProgress(share: number): void;
  wantTrace: boolean;
  /** The interactive chart; only of somebody's own pages. */
  wantHtml: boolean;
}

export interface RunResult {
  report: RunReport;
  browser: string;
  /** NDJSON. */
  trace: string | null;
  html: string | null;
}

/** The Call page's address for a plan: its whole state is in the query. */
export function pageUrl(url: string, plan: CallPlan): string {
  const { link } = plan;
  const query = new URLSearchParams({
    autostart: '1',
    source: 'synthetic',
    bottleneck: 'shaper',
    capacity: String(link.capacity),
    queue: link.queue,
    rtt_ms: String(link.rtt_ms),
    loss: String(link.loss_ratio),
    burst_loss: String(link.burst_loss_packets),
    jitter_ms: String(link.jitter_ms),
    outage: link.outage,
    cross_traffic: link.cross_traffic,
    controller: plan.text,
    mode: plan.mode,
    ...(plan.preset === undefined ? {} : { preset: plan.preset }),
    shadow: plan.shadows.join(','),
    max_bps: String(plan.sourceMaxBps),
    seed: String(plan.seed),
    key_frame_interval_s: String(plan.keyFrameIntervalS),
  });
  for (const [name, value] of Object.entries(plan.set)) query.set(`set.${name}`, String(value));
  return `${url}?${query.toString()}`;
}

/** Makes one call of our own page. Throws FailedRun; whatever happens, the browser is closed. */
export async function runCall(plan: CallPlan, server: CallServer, context: RunContext): Promise<RunResult> {
  const { signal } = context;
  signal.throwIfAborted();
  const browser = await launchChromium();
  const abort = (): void => void browser.close().catch(() => undefined);
  signal.addEventListener('abort', abort, { once: true });
  try {
    const page = await browser.newPage();
    const opened = server.nextShaper();
    await page.goto(pageUrl(server.url, plan));
    await connected(page, signal);
    const shaper = await opened;
    await shaper.started;
    const result = await measure(page, shaper, plan, context);
    return { ...result, browser: `Chromium ${browser.version()}` };
  } catch (error) {
    signal.throwIfAborted();
    throw error;
  } finally {
    signal.removeEventListener('abort', abort);
    await browser.close().catch(() => undefined);
  }
}

const state = (page: Page): Promise<PageState> => page.evaluate<PageState>('window.ccscope.state()');
const media = (page: Page): Promise<PageMedia | null> =>
  page.evaluate<PageMedia | null>('window.ccscope.media()');

async function connected(page: Page, signal: AbortSignal): Promise<void> {
  const deadline = performance.now() + CONNECT_TIMEOUT_MS;
  await page
    .waitForFunction('window.ccscope !== undefined', undefined, { timeout: CONNECT_TIMEOUT_MS })
    .catch(() => {
      throw new FailedRun('the Call page did not load; build the app again (npm run build)');
    });
  for (;;) {
    const now = await state(page);
    const [problem] = now.urlProblems;
    if (problem)
      throw new FailedRun(`the page refused ${problem.field}=${problem.got}: expected ${problem.expected}`);
    if (now.phase === 'connected') return;
    if (now.phase === 'failed') throw new FailedRun(`the call failed. ${saidBy(now)}`);
    if (performance.now() > deadline) {
      throw new FailedRun(`the call was not connected after ${CONNECT_TIMEOUT_MS / 1e3} s. ${saidBy(now)}`);
    }
    await sleep(POLL_MS, undefined, { signal });
  }
}

const saidBy = ({ notices }: PageState): string =>
  notices.map(({ message, fix }) => `${message} ${fix}`).join(' ');

async function measure(
  page: Page,
  shaper: Shaper,
  plan: CallPlan,
  context: RunContext,
): Promise<Omit<RunResult, 'browser'>> {
  const fromUs = shaper.firstPacketUs ?? shaper.nowUs();
  const toUs = fromUs + plan.durationMs * 1e3;
  await until(shaper, fromUs + (toUs - fromUs) / 3, { fromUs, toUs }, page, context);
  const before = {
    media: await media(page),
    crossBytes: shaper.stats().crossDepartedBytes,
    atUs: shaper.nowUs(),
  };
  await until(shaper, toUs, { fromUs, toUs }, page, context);
  const after = {
    media: await media(page),
    crossBytes: shaper.stats().crossDepartedBytes,
    atUs: shaper.nowUs(),
  };
  const [now, counters, targets, trace] = await Promise.all([
    state(page),
    page.evaluate<PageCounters>('window.ccscope.counters()'),
    page.evaluate<PageTargets[]>('window.ccscope.targets()'),
    context.wantTrace ? page.evaluate<string>('window.ccscope.exportTrace()') : null,
  ]);
  const { p50_ms, p95_ms, p99_ms } = shaper.latenessMs();
  const frames = (after.media?.framesDecoded ?? NaN) - (before.media?.framesDecoded ?? NaN);
  const capacity = parseSchedule(plan.link.capacity);
  // The page's rows count from the origin of the trace.
  const inTrace = { fromUs: fromUs - shaper.originUs, toUs: toUs - shaper.originUs };
  const steps = capacity.map(({ atUs, capacityBps }) => ({ atUs: inTrace.fromUs + atUs, capacityBps }));
  // With the browser in charge flow 0 only watches, too.
  const watching = plan.mode === 'observe' ? targets : targets.slice(1);
  const absolute = capacity.map(({ atUs, capacityBps }) => ({ atUs: fromUs + atUs, capacityBps }));
  const measured = { fromUs: before.atUs, toUs: after.atUs };
  const shadows = watching.map((rows) => ({
    ...{ name: rows.name, controller: rows.controller, preset: rows.preset, parameters: rows.parameters },
    ...targetReport(rows, steps, inTrace),
  }));
  const report: RunReport = {
    ...linkMetrics(shaper.log?.records() ?? [], capacity, { fromUs, toUs }),
    ...targetReport(targets[0] ?? NO_ROWS, steps, inTrace),
    mode: now.status?.effectiveMode ?? plan.mode,
    cross_utilisation: ((after.crossBytes - before.crossBytes) * 8) / capacityBits(absolute, measured),
    overuse_count: counters.overuseCount,
    fps: finite((frames * 1e6) / (after.atUs - before.atUs)),
    freeze_count: finite(after.media?.freezeCount),
    longest_freeze_s: finite(after.media?.longestFreezeS),
    shaper_lateness_ms: { p50: finite(p50_ms), p95: finite(p95_ms), p99: finite(p99_ms) },
    shadows,
    controller_faults: (now.status?.controllerFaults ?? []).map(faultReport),
    notices: now.notices.map(({ level, message }) => `${level}: ${message}`),
  };
  return { report, trace, html: null };
}

const NO_ROWS: TargetRows = { timeUs: [], targetBps: [] };

const faultReport = ({ timeUs, ...fault }: ControllerFault): FaultReport => ({ ...fault, time_us: timeUs });

const finite = (value: number | undefined): number | null =>
  value !== undefined && Number.isFinite(value) ? value : null;

/** Waits while the call goes on. Throws FailedRun if it ends before. */
async function until(
  shaper: Shaper,
  atUs: number,
  run: { fromUs: number; toUs: number },
  page: Page,
  { signal, onProgress }: RunContext,
): Promise<void> {
  for (let leftMs = (atUs - shaper.nowUs()) / 1e3; leftMs > 0; leftMs = (atUs - shaper.nowUs()) / 1e3) {
    await sleep(Math.min(1000, leftMs), undefined, { signal });
    const now = await state(page);
    if (now.phase !== 'connected') throw new FailedRun(`the call ended early (${now.phase}). ${saidBy(now)}`);
    onProgress((shaper.nowUs() - run.fromUs) / (run.toUs - run.fromUs));
  }
}
