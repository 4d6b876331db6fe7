/** Makes one real call of ccscope's own page in a headless Chromium, over a new link that the page joins. */
import { setTimeout as sleep } from 'node:timers/promises';

import type { ControllerFault } from '../../core/index.js';
import { machineReport, MachineWatch } from '../../machine/index.js';
import { parseSchedule } from '../../link/capacity_text.js';
import { ConfigError } from '../../text/quantities.js';
import { FailedRun } from '../../text/errors.js';
import { packetsIn } from '../../judge/view.js';
import { linkMetrics, shareOfCapacity, stepsSince } from '../../calls/metrics.js';
import { ShaperError, startShaper, type Shaper } from '../../shaper/shaper.js';
import type { LocalServer } from '../../server/server.js';
import { withChromium, type OwnBrowser } from './chromium.js';
import { OwnPage, pageUrl, type PageMedia, type PageState } from './own_page.js';
import { targetReport, type TargetRows } from '../../calls/targets.js';
import { StillPicture } from './still_picture.js';
import type { CallPlan, FaultReport, RunReport, SentReport } from './types.js';

const CONNECT_TIMEOUT_MS = 30_000;
const POLL_MS = 250;

/** The local server with ccscope's own page. */
export type CallServer = Pick<LocalServer, 'url' | 'lend'>;

export interface RunContext {
  signal: AbortSignal;
  /** The index of this run among the runs of the controller, from 0. */
  run: number;
  /** Called with the part of the run that is finished, from 0 to 1. */
  onProgress(share: number): void;
  wantTrace: boolean;
  /** Whether to create an interactive chart. Calls of ccscope's own page ignore this. */
  wantHtml: boolean;
}

export interface RunResult {
  report: RunReport;
  browser: string;
  /** NDJSON. */
  trace: string | null;
  html: string | null;
}

/**
 * Makes one call of ccscope's own page over a new link. Always closes the browser and the link afterwards. Throws
 * FailedRun.
 */
export async function runCall(plan: CallPlan, server: CallServer, context: RunContext): Promise<RunResult> {
  context.signal.throwIfAborted();
  const config = { ...plan.link, origin_epoch_ms: Date.now() };
  const shaper = await startShaper({ config, record: true }).catch((error: unknown) => {
    throw linkFailure(error);
  });
  const loan = server.lend(shaper);
  const work = async ({ browser, signal, newPage }: OwnBrowser): Promise<RunResult> => {
    const page = await newPage();
    await page.goto(pageUrl(server.url, plan, loan.name));
    await page
      .waitForFunction(() => 'ccscope' in globalThis, undefined, { timeout: CONNECT_TIMEOUT_MS })
      .catch((error: unknown) => {
        if (!(error instanceof Error) || error.name !== 'TimeoutError') throw error;
        throw new FailedRun('the Call page did not load; rebuild the app with `npm run build`');
      });
    const running = { page: new OwnPage(page), link: loan.name, shaper };
    await connected(running, signal);
    const result = await measure(running, plan, { ...context, signal });
    return { ...result, browser: `Chromium ${browser.version()}` };
  };
  try {
    return await withChromium(context.signal, work, plan.source.file);
  } finally {
    loan.end();
    await shaper.close();
  }
}

/** A call in progress. */
interface Running {
  page: OwnPage;
  /** The name by which the page joins the link. */
  link: string;
  shaper: Shaper;
}

/**
 * Waits until the call of the page is connected and its first packet has passed the link. Throws FailedRun if
 * this takes too long.
 */
async function connected(running: Running, signal: AbortSignal): Promise<void> {
  const deadline = performance.now() + CONNECT_TIMEOUT_MS;
  for (;;) {
    const now = await running.page.state();
    const [problem] = now.urlProblems;
    if (problem)
      throw new FailedRun(`the page refused ${problem.field}=${problem.got}: expected ${problem.expected}`);
    if (now.phase === 'failed') throw new FailedRun(`the call failed. ${saidBy(now)}`);
    if (now.phase === 'connected') {
      refuseWrongLink(now, running);
      if (running.shaper.firstPacketUs !== null) return;
    }
    if (performance.now() > deadline) {
      throw new FailedRun(`the call was not connected after ${CONNECT_TIMEOUT_MS / 1e3} s. ${saidBy(now)}`);
    }
    await sleep(POLL_MS, undefined, { signal });
  }
}

const linkFailure = (error: unknown): unknown =>
  error instanceof ShaperError || error instanceof ConfigError ? new FailedRun(error.message) : error;

/** Throws FailedRun if the call does not use its link, or if the link has failed or been interrupted. */
function refuseWrongLink(now: PageState, { link, shaper }: Running): void {
  if (shaper.failure !== null) throw linkFailure(shaper.failure);
  if (shaper.record.interruptions.length > 0)
    throw new FailedRun('the thread that runs the link ended during the call. Run the call again.');
  if (now.link === link) return;
  if (now.link !== null)
    throw new FailedRun(`the call switched to another link. ${saidBy(now)} Run the call again.`);
  throw new FailedRun(
    `the page did not join the link, so no packet of the call was shaped. ${saidBy(now)} ` +
      'Run the call again when the machine is less busy.',
  );
}

const saidBy = ({ notices }: PageState): string =>
  notices.map(({ message, fix }) => `${message} ${fix}`).join(' ');

async function measure(
  running: Running,
  plan: CallPlan,
  context: RunContext,
): Promise<Omit<RunResult, 'browser'>> {
  const { page, shaper } = running;
  const fromUs = shaper.firstPacketUs ?? shaper.nowUs();
  const toUs = fromUs + plan.durationMs * 1e3;
  const still = new StillPicture();
  const watched = { ...running, still };
  await until(fromUs + (toUs - fromUs) / 3, { fromUs, toUs }, watched, context);
  const before = await seen(running);
  await until(toUs, { fromUs, toUs }, watched, context);
  const after = await seen(running);
  if (after.media) still.see(after.media, after.atUs);
  const frozenS = still.frozenS(after.atUs);
  const [now, counters, targets, trace] = await Promise.all([
    page.state(),
    page.counters(),
    page.targets(),
    context.wantTrace ? page.exportTrace() : null,
  ]);
  const { p50_ms, p95_ms, p99_ms } = shaper.latenessMs();
  const frames = (after.media?.framesDecoded ?? NaN) - (before.media?.framesDecoded ?? NaN);
  const audioBytes = (after.media?.audioBytesReceived ?? NaN) - (before.media?.audioBytesReceived ?? NaN);
  const { forward } = shaper.record;
  const packets =
    forward === null
      ? []
      : packetsIn(forward, null, { fromUs: forward.keptFromUs ?? -Infinity, toUs: Infinity });
  const capacity = parseSchedule(plan.link.capacity);
  // The capacity steps in the time of the link's record. The page's rows have the same time origin.
  const steps = capacity.map(({ atUs, capacityBps }) => ({ atUs: fromUs + atUs, capacityBps }));
  // The record of a call of hours no longer contains the call's first packets.
  const keptFromUs = Math.max(fromUs, forward?.keptFromUs ?? fromUs);
  const kept = stepsSince(
    steps.map(({ atUs, capacityBps }) => ({ timeUs: atUs, capacityBps })),
    keptFromUs,
  );
  // In observe mode the browser decides the bitrate. Then all controllers are shadows (only watch), even the
  // controller of flow 0.
  const watching = plan.mode === 'observe' ? targets : targets.slice(1);
  const measured = { fromUs: before.atUs, toUs: after.atUs };
  const shadows = watching.map((rows) => ({
    ...{ name: rows.name, controller: rows.controller, preset: rows.preset, parameters: rows.parameters },
    ...targetReport(rows, steps, { fromUs, toUs }),
  }));
  const report: RunReport = {
    ...linkMetrics(packets, kept, { fromUs: keptFromUs, toUs }),
    ...(keptFromUs > fromUs && { time_to_90pct_s: null }),
    ...targetReport(targets[0] ?? NO_ROWS, steps, { fromUs, toUs }),
    mode: now.status?.effectiveMode ?? plan.mode,
    cross_utilisation: shareOfCapacity(after.crossBytes - before.crossBytes, steps, measured),
    overuse_count: counters.overuseCount,
    fps: finite((frames * 1e6) / (after.atUs - before.atUs)),
    freeze_count: after.media && finite(after.media.freezeCount + (frozenS > 0 ? 1 : 0)),
    longest_freeze_s: after.media && finite(Math.max(after.media.longestFreezeS, frozenS)),
    shaper_lateness_ms: { p50: finite(p50_ms), p95: finite(p95_ms), p99: finite(p99_ms) },
    sent: after.media && sentReport(after.media),
    received: after.media && {
      width: finite(after.media.width),
      height: finite(after.media.height),
      audio_bps: finite((audioBytes * 8e6) / (after.atUs - before.atUs)),
    },
    machine: machineReport(now.status?.machine ?? new MachineWatch().state),
    shadows,
    controller_faults: (now.status?.controllerFaults ?? []).map(faultReport),
    notices: [...now.notices, ...shaper.record.notices].map(({ level, message }) => `${level}: ${message}`),
  };
  return { report, trace, html: null };
}

/** The current counters of the page and of the link. */
async function seen({ page, shaper }: Running) {
  const media = await page.media();
  await shaper.sync().catch((error: unknown) => {
    throw linkFailure(error);
  });
  return { media, crossBytes: shaper.stats().crossDepartedBytes, atUs: shaper.nowUs() };
}

const sentReport = ({ codec, sourceWidth, sourceHeight, sourceFps }: PageMedia): SentReport => ({
  codec,
  width: finite(sourceWidth),
  height: finite(sourceHeight),
  fps: finite(sourceFps),
});

const NO_ROWS: TargetRows = { timeUs: [], targetBps: [] };

const faultReport = ({ timeUs, ...fault }: ControllerFault): FaultReport => ({ ...fault, time_us: timeUs });

const finite = (value: number | undefined): number | null =>
  value !== undefined && Number.isFinite(value) ? value : null;

/**
 * Waits until the link's time is `atUs`, and watches the received picture meanwhile. Throws FailedRun if the call ends
 * earlier or switches to another link.
 */
async function until(
  atUs: number,
  run: { fromUs: number; toUs: number },
  running: Running & { still: StillPicture },
  { signal, onProgress }: RunContext,
): Promise<void> {
  const { page, shaper, still } = running;
  for (let leftMs = (atUs - shaper.nowUs()) / 1e3; leftMs > 0; leftMs = (atUs - shaper.nowUs()) / 1e3) {
    await sleep(Math.min(1000, leftMs), undefined, { signal });
    const now = await page.state();
    if (now.phase !== 'connected') throw new FailedRun(`the call ended early (${now.phase}). ${saidBy(now)}`);
    refuseWrongLink(now, running);
    const media = await page.media();
    if (media) still.see(media, shaper.nowUs());
    onProgress((shaper.nowUs() - run.fromUs) / (run.toUs - run.fromUs));
  }
}
