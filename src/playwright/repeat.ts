/**
 * Several runs of one test, judged together, since a single run of a stochastic system proves little. Each run
 * has its own link, call and contexts. A run that throws counts as failed.
 */
import { test, type Page, type TestInfo } from '@playwright/test';

import { percentiles } from '../calls/percentile.js';
import { ConfigError, shown } from '../text/quantities.js';
import { wilsonInterval } from '../scenario/statistics.js';
import type { ObservedCall, SyncedLink } from './call.js';
import { checkNames } from './option_names.js';
import { ratioOf, timeUs, type Ratio, type Time } from './quantities.js';
import { withRunDeadline } from './test_time.js';

/** The link, call and pages of one run, and the steps that end the run. */
export interface RunSession<Link extends SyncedLink> {
  /** Opens a page in a new context. */
  page(): Promise<Page>;
  link(): Promise<Link>;
  call(): Promise<ObservedCall<Link>>;
  peers(url?: string, secondUrl?: string): Promise<[Page, Page]>;
  /** Attaches the run's evidence to the test. */
  attach(name: string, failed: boolean): Promise<void>;
  /** Completes the record, and closes the link and the observer. */
  finish(): Promise<void>;
  closeContexts(): Promise<void>;
}

/** The fixtures that the body of a run gets. */
export interface RunFixtures<Link extends SyncedLink> {
  page: Page;
  link: Link;
  call: ObservedCall<Link>;
  twoPeers(url?: string, secondUrl?: string): Promise<[Page, Page]>;
  /** Counted from 1. */
  run: number;
}

/** Limits for percentiles of a number that the body returns. */
export type PercentileRules = Readonly<
  Record<string, Readonly<Record<`p${number}`, { min?: number; max?: number }>>>
>;

export interface RepeatOptions {
  /** Fraction of the runs that must pass; default: all. */
  pass?: Ratio;
  /**
   * Limits for the numbers that the body returns. `{ queueDelayP95Ms: { p90: { max: 100 } } }` means: in 90 %
   * of the runs, the returned `queueDelayP95Ms` is at most 100. Percentiles are by nearest rank, over the runs
   * that returned the number.
   */
  percentiles?: PercentileRules;
  /** Whether to stop as soon as no further run can change the verdict. Default false. */
  stopEarly?: boolean;
  /**
   * The timeout of each run. Default: the test's own timeout. For every run, the test's timeout is extended by
   * this time.
   */
  timeout?: Time;
}

export interface RunResult {
  /** Counted from 1. */
  run: number;
  passed: boolean;
  error: Error | null;
  /** The finite numbers in the object that the body returned. */
  values: Readonly<Record<string, number>>;
  durationMs: number;
}

export type Repeat<Link extends SyncedLink> = (
  runs: number,
  options: RepeatOptions,
  body: (fixtures: RunFixtures<Link>) => Promise<object | undefined> | Promise<void>,
) => Promise<Runs>;

/** Thrown if too few runs passed, or if a percentile is beyond its limit. */
export class RepeatError extends Error {
  override readonly name = 'RepeatError';
  constructor(
    message: string,
    readonly runs: Runs,
  ) {
    super(message);
  }
}

const short = (value: number): string => String(Number(value.toPrecision(4)));
const percent = (ratio: number): string => `${Math.round(ratio * 100)} %`;
const firstLine = ({ message }: Error): string =>
  message
    // Removes the colours of Playwright's messages.
    .replace(/\u001b\[[0-9;]*m/g, '')
    .split('\n')
    .filter((line) => /^(Received|Cause):/.test(line))
    .join('; ') ||
  (message.split('\n')[0] ?? '');

/** The result of several runs. */
export class Runs {
  constructor(readonly results: readonly RunResult[]) {}

  get passed(): number {
    return this.results.filter(({ passed }) => passed).length;
  }

  /** Share of the runs that passed. */
  get ratio(): number {
    return this.passed / this.results.length;
  }

  /** The 95 % confidence interval of the probability that a run passes (Wilson). */
  get interval(): readonly [low: number, high: number] {
    return wilsonInterval(this.passed, this.results.length);
  }

  /** The values of the number `name` from all runs that returned it. */
  values(name: string): number[] {
    return this.results.flatMap(({ values }) => values[name] ?? []);
  }

  /** A percentile of the number `name` over the runs, by nearest rank; NaN if no run returned it. */
  percentile(name: string, p: number): number {
    return percentiles(this.values(name), [p])[0] ?? NaN;
  }

  /** A line per run, and the share that passed. */
  table(): string {
    const [low, high] = this.interval;
    const lines = this.results.map(({ run, passed, error, values, durationMs }) => {
      const numbers = Object.entries(values).map(([name, value]) => `${name} ${short(value)}`);
      const text = error ? firstLine(error) : numbers.join(', ');
      return `run ${run}  ${passed ? 'passed' : 'FAILED'}  ${(durationMs / 1e3).toFixed(1)} s  ${text}`.trimEnd();
    });
    const share = `${this.passed} of ${this.results.length} passed (${percent(this.ratio)}; with 95 % confidence ${percent(low)} to ${percent(high)})`;
    return [...lines, share].join('\n');
  }
}

interface Rule {
  name: string;
  percentile: number;
  min: number;
  max: number;
}

function percentileRules(rules: PercentileRules): Rule[] {
  return Object.entries(rules).flatMap(([name, limits]) =>
    Object.entries(limits).map(([key, range]): Rule => {
      const percentile = Number(/^p(\d+(?:\.\d+)?)$/.exec(key)?.[1] ?? NaN);
      if (!(percentile > 0 && percentile <= 100))
        throw new ConfigError(
          `percentiles.${name}`,
          'a percentile such as p90',
          shown(key),
          'write, for example, { p90: { max: 100 } }',
        );
      checkNames(range, ['min', 'max'], `percentiles.${name}.${key}`);
      const { min = -Infinity, max = Infinity } = range;
      return { name, percentile, min, max };
    }),
  );
}

/** Describes each rule that the runs break. Empty if the runs satisfy all rules. */
function violations(runs: Runs, needed: number, rules: readonly Rule[]): string[] {
  const few = runs.passed < needed ? [`${needed} runs must pass, ${runs.passed} did`] : [];
  const beyond = rules.flatMap(({ name, percentile, min, max }) => {
    const value = runs.percentile(name, percentile);
    if (value >= min && value <= max) return [];
    const limits = [min > -Infinity ? `at least ${min}` : '', max < Infinity ? `at most ${max}` : ''].filter(
      Boolean,
    );
    const got = Number.isNaN(value) ? 'no run returned it' : short(value);
    return [`p${percentile} of ${name} must be ${limits.join(' and ')}: ${got}`];
  });
  return [...few, ...beyond];
}

const asError = (error: unknown): Error => (error instanceof Error ? error : new Error(String(error)));

const numbersOf = (returned: unknown): Record<string, number> =>
  typeof returned === 'object' && returned !== null
    ? Object.fromEntries(
        Object.entries(returned).filter((entry): entry is [string, number] => Number.isFinite(entry[1])),
      )
    : {};

/** Returns the result of `promise`. Rejects if the promise takes longer than `limitMs`. */
async function within<T>(promise: Promise<T>, limitMs: number, run: number): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    const error = new Error(
      `Run ${run} took longer than ${short(limitMs / 1e3)} s; raise the \`timeout\` of repeat().`,
    );
    timer = setTimeout(() => {
      reject(error);
    }, limitMs);
  });
  return Promise.race([promise, late]).finally(() => {
    clearTimeout(timer);
  });
}

/** Ends a run. All steps are carried out, even if one of them fails. Returns the first error. */
async function closeSession<Link extends SyncedLink>(
  session: RunSession<Link>,
  name: string,
  failed: boolean,
): Promise<Error | null> {
  let first: Error | null = null;
  for (const part of [
    () => session.finish(),
    () => session.attach(name, failed),
    () => session.closeContexts(),
  ]) {
    await part().catch((error: unknown) => (first ??= asError(error)));
  }
  return first;
}

/** Creates the `repeat` fixture. `open` creates a session; its link, call and pages are opened later. */
export function makeRepeat<Link extends SyncedLink>({
  open,
  testInfo,
}: {
  open: () => RunSession<Link>;
  testInfo: TestInfo;
}): Repeat<Link> {
  /** The test's own timeout, before the first `repeat` extended it. */
  let ownTimeoutMs: number | null = null;
  /** How many runs the earlier calls of `repeat` in this test made. Attachments are numbered on from there. */
  let earlier = 0;
  const oneRun = async (
    run: number,
    limitMs: number,
    body: Parameters<Repeat<Link>>[2],
  ): Promise<RunResult> => {
    const beganMs = Date.now();
    const session = open();
    let error: Error | null = null;
    let returned: unknown;
    const work = async (): Promise<unknown> => {
      const link = await session.link();
      const call = await session.call();
      const page = await session.page();
      const twoPeers = (url?: string, secondUrl?: string): Promise<[Page, Page]> =>
        session.peers(url, secondUrl);
      return body({ page, link, call, twoPeers, run });
    };
    try {
      returned = await test.step(`run ${run}`, () =>
        withRunDeadline(beganMs + limitMs, () => within(work(), limitMs, run)));
    } catch (thrown) {
      error = asError(thrown);
    }
    const closing = await closeSession(session, `run ${earlier + run}`, error !== null);
    error ??= closing;
    return {
      run,
      passed: error === null,
      error,
      values: numbersOf(returned),
      durationMs: Date.now() - beganMs,
    };
  };

  return async (count, options, body) => {
    if (!Number.isSafeInteger(count) || count < 1)
      throw new ConfigError('repeat', 'at least 1 run', shown(count), 'write, for example, repeat(5, …)');
    checkNames(options, ['pass', 'percentiles', 'stopEarly', 'timeout']);
    const needed = Math.ceil(ratioOf('pass', options.pass ?? 1) * count - 1e-9);
    const rules = percentileRules(options.percentiles ?? {});
    ownTimeoutMs ??= testInfo.timeout;
    const limitMs = options.timeout === undefined ? ownTimeoutMs : timeUs('timeout', options.timeout) / 1e3;
    // A timeout of 0 means that the test has no timeout, so nothing is extended. The runs then have no timeout
    // either, unless `timeout` is given.
    if (testInfo.timeout > 0) testInfo.setTimeout(testInfo.timeout + count * limitMs);
    const results: RunResult[] = [];
    for (let run = 1; run <= count; run++) {
      results.push(await oneRun(run, limitMs > 0 ? limitMs : 2 ** 31 - 1, body));
      const passed = results.filter((result) => result.passed).length;
      const certain = run - passed > count - needed || (passed >= needed && rules.length === 0);
      if (options.stopEarly && certain) break;
    }
    earlier += results.length;
    const runs = new Runs(results);
    const wrong = violations(runs, needed, rules);
    const table = runs.table();
    await testInfo.attach('runs', { body: table, contentType: 'text/plain' });
    if (wrong.length > 0) throw new RepeatError(`${wrong.join('; ')}\n\n${table}`, runs);
    return runs;
  };
}
