/**
 * One call between web pages that are not part of ccscope, in a headless Chromium. All their peer connections go
 * through the relay of one link. The connections are observed in the same way as in users' tests (src/observe). The
 * pages decide their bitrates themselves.
 */
import { setTimeout as sleep } from 'node:timers/promises';

import type { Browser, BrowserContext, Page } from 'playwright-core';

import type { LinkConfig } from '../../link/link_config.js';
import { settingsOfConfig } from '../../link/settings.js';
import { FailedRun } from '../../text/errors.js';
import { evidenceHtml, measure as metricsOf, traceLines, type EvidenceInput } from '../../evidence/index.js';
import { pageName } from '../../calls/record/names.js';
import { CallObserver } from '../../observe/observer.js';
import type { Window } from '../../calls/metrics.js';
import type { CallRecord, EndpointRecord } from '../../calls/record/record.js';
import { openShaperLink, type ShaperLink } from '../../shaper/index.js';
import { withChromium } from './chromium.js';
import { pageReport } from './page_report.js';
import type { RunContext, RunResult } from './run.js';

/** The pages of a call, and how to start the call. */
export interface PagePlan {
  /** The addresses of the pages. Each page has its own browser context. */
  urls: readonly string[];
  /** CSS selectors of elements to click, in this order, on every page once the page has loaded. */
  clicks: readonly string[];
  /** The settings of the link, for both directions. */
  link: LinkConfig;
  /** The length of the call, counted from the moment when the first connection is established. */
  durationMs: number;
}

const CONNECT_TIMEOUT_MS = 30_000;
const CLICK_TIMEOUT_MS = 10_000;
const POLL_MS = 250;
/** The permissions that every page gets, as if the user had granted them. */
const PERMISSIONS = ['camera', 'microphone'];

/** Makes one call. Always closes the browser and the link afterwards. Throws FailedRun. */
export async function runPageCall(
  plan: PagePlan,
  context: RunContext,
  open: typeof openShaperLink = openShaperLink,
): Promise<RunResult> {
  context.signal.throwIfAborted();
  const originEpochMs = Date.now();
  const link = await open({ settings: settingsOfConfig(plan.link), originEpochMs });
  const observer = new CallObserver({ link, originEpochMs });
  try {
    return await withChromium(context.signal, async ({ browser, signal }) => {
      await openPages(browser, plan, observer).catch((error: unknown) => {
        // If a page has crashed or the link has failed, this throws an error that names this cause.
        refuseLoss(observer.record);
        throw error;
      });
      return measure({ plan, link, observer, browser, context: { ...context, signal } });
    });
  } finally {
    await observer.close();
    await link.close();
  }
}

async function openPages(
  browser: Browser,
  { urls, clicks }: PagePlan,
  observer: CallObserver,
): Promise<void> {
  // One page after another, since the order may decide which page sends the offer.
  for (const url of urls) {
    const context: BrowserContext = await browser.newContext({
      ignoreHTTPSErrors: true,
      permissions: PERMISSIONS,
    });
    await observer.observe(context);
    await openPage(await context.newPage(), url, clicks);
  }
}

/** How long to wait for the report that a page has crashed. */
const NEWS_MS = 2000;

const firstLine = (error: unknown): string =>
  (error instanceof Error ? error.message : String(error)).split('\n')[0] ?? '';

async function openPage(page: Page, url: string, clicks: readonly string[]): Promise<void> {
  await page.goto(url).catch(async (error: unknown) => {
    // After a crash, `goto` may fail before Playwright reports the crash. The report explains the failure, so
    // wait for it.
    if (firstLine(error).includes('detached'))
      await page.waitForEvent('crash', { timeout: NEWS_MS }).catch(() => undefined);
    throw new FailedRun(`--url ${url} did not load (${firstLine(error)}); check that its server is running`);
  });
  for (const selector of clicks) {
    await page.click(selector, { timeout: CLICK_TIMEOUT_MS }).catch((error: unknown) => {
      throw new FailedRun(
        `--click ${selector}: nothing could be clicked at ${url} (${firstLine(error)}); check that the selector matches an element that is visible, enabled and not covered`,
      );
    });
  }
}

interface Measuring {
  plan: PagePlan;
  link: ShaperLink;
  observer: CallObserver;
  browser: Browser;
  context: RunContext;
}

async function measure({ plan, link, observer, browser, context }: Measuring): Promise<RunResult> {
  const { record } = observer;
  await connected(record, plan, context.signal);
  const fromUs = observer.nowUs();
  const toUs = fromUs + plan.durationMs * 1e3;
  for (let leftMs = plan.durationMs; leftMs > 0; leftMs = (toUs - observer.nowUs()) / 1e3) {
    await sleep(Math.min(POLL_MS, leftMs), undefined, { signal: context.signal });
    refuseEnd(record);
    context.onProgress((observer.nowUs() - fromUs) / (toUs - fromUs));
  }
  await observer.collect();
  await link.sync();
  const metrics = metricsOf(record);
  const report = pageReport(
    { record, metrics },
    runOf(metrics, fromUs, plan),
    plan.link.cross_traffic !== 'none',
  );
  const evidence: EvidenceInput = {
    ...{ record, judged: [], metrics, title: titleOf(plan) },
    ...{ outcome: null, error: '', created: new Date(record.originEpochMs) },
  };
  return {
    report,
    browser: `Chromium ${browser.version()}`,
    trace: context.wantTrace ? `${[...traceLines(evidence)].join('\n')}\n` : null,
    html: context.wantHtml ? evidenceHtml(evidence) : null,
  };
}

/**
 * The run begins when both ends of a connection are connected. If that time is unknown, the run begins at
 * `noticedUs`, a little later.
 */
function runOf({ call }: EvidenceInput['metrics'], noticedUs: number, { durationMs }: PagePlan): Window {
  const fromUs = call?.window.fromUs ?? noticedUs;
  return { fromUs, toUs: fromUs + durationMs * 1e3 };
}

/** The addresses of the pages, without scheme and query. */
const titleOf = ({ urls }: PagePlan): string =>
  [...new Set(urls.map((url) => url.replace(/^[a-z]+:\/\/|[?#].*$/g, '')))].join(', ');

const lastState = ({ states }: EndpointRecord): RTCPeerConnectionState | undefined => states.at(-1)?.state;

async function connected(record: CallRecord, plan: PagePlan, signal: AbortSignal): Promise<void> {
  const deadline = performance.now() + CONNECT_TIMEOUT_MS;
  while (!record.endpoints.some((endpoint) => lastState(endpoint) === 'connected')) {
    refuseLoss(record);
    if (record.pages.every(({ ended }) => ended !== null))
      throw new FailedRun('all pages were closed before a call was connected; check what closes them');
    if (performance.now() > deadline) throw new FailedRun(neverConnected(record, plan));
    await sleep(POLL_MS, undefined, { signal });
  }
}

function neverConnected({ endpoints }: CallRecord, { urls }: PagePlan): string {
  const limit = `within ${CONNECT_TIMEOUT_MS / 1e3} s`;
  if (endpoints.length === 0) {
    return `no page of ${[...new Set(urls)].join(', ')} made an RTCPeerConnection ${limit}; choose with --click what starts a call, or set --pages to the number of pages it needs`;
  }
  const states = endpoints.map((endpoint) => `${endpoint.url}: ${lastState(endpoint) ?? 'new'}`);
  return `no RTCPeerConnection was connected ${limit} (${states.join(', ')}); check that the pages can connect without ccscope`;
}

/** Throws FailedRun if the link has failed or a page has crashed. */
function refuseLoss({ pages, link }: CallRecord): void {
  const crashed = pages.find(({ ended }) => ended?.why === 'crashed');
  if (crashed)
    throw new FailedRun(`${pageName(crashed.id)} (${crashed.url}) crashed; check the browser's log`);
  const failure = link?.notices.find(({ level }) => level === 'error');
  if (failure) throw new FailedRun(failure.message);
}

/** Throws FailedRun if the call has ended early, since the measurements do not cover the planned duration then. */
function refuseEnd(record: CallRecord): void {
  refuseLoss(record);
  const alive = record.endpoints.some((endpoint) =>
    ['connected', 'disconnected'].includes(lastState(endpoint) ?? ''),
  );
  if (!alive) throw new FailedRun('the pages ended the call early; choose a shorter --duration');
}
