/**
 * Stored curves of calls: the received rate and the queuing delay over time. The files are beside the test, in
 * the folder of Playwright's snapshots. Like snapshots, they are written and updated with `--update-snapshots`,
 * or with `updateSnapshots` in the configuration.
 */
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';

import type { ExpectMatcherState, MatcherReturnType, TestInfo } from '@playwright/test';
import * as v from 'valibot';

import {
  BASELINE_STEP_US,
  curveOf,
  judgeBaseline,
  judgeProved,
  secondsText,
  type Asked,
  type Curve,
  type Judgement,
} from '../judge/index.js';
import { ConfigError, shown } from '../text/quantities.js';
import type { ObservedCall } from './call.js';
import { runningTest } from './test_time.js';
import { waitForVerdict } from './wait.js';

const FORMAT = v.object({
  ccscope_baseline: v.literal(1),
  step_ms: v.literal(500),
  received_bps: v.pipe(v.array(v.number()), v.minLength(1)),
  queue_delay_ms: v.array(v.nullable(v.number())),
});

/** Thrown if a stored curve cannot be used, or if a call is too short or proves nothing, so that its curve is not stored. */
export class BaselineError extends Error {
  override readonly name = 'BaselineError';
}

/** @throws BaselineError, which names the file and the fault */
export function readBaseline(path: string): Curve {
  const again = 'store the baseline again with --update-snapshots';
  let json: unknown;
  try {
    json = JSON.parse(readFileSync(path, 'utf8'));
  } catch (error) {
    throw new BaselineError(`${path}: not valid JSON (${(error as Error).message}); ${again}`);
  }
  const parsed = v.safeParse(FORMAT, json);
  if (!parsed.success) {
    const [issue] = parsed.issues;
    throw new BaselineError(`${path}: ${v.getDotPath(issue) ?? 'the file'}: ${issue.message}; ${again}`);
  }
  return { receivedBps: parsed.output.received_bps, queueDelayMs: parsed.output.queue_delay_ms };
}

export function writeBaseline(path: string, { receivedBps, queueDelayMs }: Curve): void {
  const stored: v.InferOutput<typeof FORMAT> = {
    ccscope_baseline: 1,
    step_ms: 500,
    received_bps: receivedBps,
    queue_delay_ms: queueDelayMs,
  };
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, `${JSON.stringify(stored)}\n`);
}

/** The result of a matcher. Playwright also reads `shouldNotRetryTest`, which its public type lacks. */
type Result = MatcherReturnType & { shouldNotRetryTest?: true };

export interface BaselineMatch {
  call: ObservedCall;
  name: string;
  /** The length of the curve to store; null for the whole call so far. */
  lengthUs: number | null;
  tolerance: number;
  delayToleranceMs: number;
}

/** Runs a judge until it has a verdict. The result includes the message for a failure. */
export type Judging = (judge: (asked: Asked) => Judgement) => Promise<MatcherReturnType>;

type Update = TestInfo['config']['updateSnapshots'];

/**
 * What Playwright does with snapshots. Before 1.64, its default was named `missing`; with it, too, a test that only
 * stores its reference failed.
 */
export function updateOf(config: Pick<TestInfo['config'], 'updateSnapshots' | 'version'>): Update {
  const [major = 0, minor = 0] = config.version.split('.').map(Number);
  const isOld = major === 1 && minor < 64;
  return isOld && config.updateSnapshots === 'missing' ? 'default' : config.updateSnapshots;
}

/**
 * Waits until the call has run for `lengthUs`, and returns its curve. @throws BaselineError if it does not run
 * that long, bypassed its link, or carried nothing
 */
async function recordCurve({ call, lengthUs }: BaselineMatch): Promise<Curve> {
  const askedUs = call.nowUs;
  const steps = lengthUs === null ? 1 : Math.floor(lengthUs / BASELINE_STEP_US);
  // With infinite tolerances, any call passes once its curve has `steps` steps. So judging by this rule only
  // waits for the steps.
  const rule = {
    curve: { receivedBps: new Array<number>(steps).fill(1), queueDelayMs: [] },
    tolerance: Infinity,
    delayToleranceMs: Infinity,
  };
  const wait = { isNot: false, timeoutMs: undefined, retryMs: 0 };
  const proved = (asked: Asked): Judgement => judgeProved(asked, 'any', (each) => judgeBaseline(each, rule));
  const { judgement } = await waitForVerdict(call, proved, wait);
  const { record, view, nowUs } = call;
  const curve = curveOf({ record, view, askedUs, nowUs });
  const got = curve?.receivedBps.length ?? 0;
  if (!curve || got < steps)
    throw new BaselineError(
      `toMatchBaseline: expected a call of at least ${secondsText(steps * BASELINE_STEP_US)}, got ${secondsText(got * BASELINE_STEP_US)}; let the call run longer, or set the option \`over\` to a shorter time and store the baseline again`,
    );
  if (!judgement.pass)
    throw new BaselineError(
      `toMatchBaseline: the baseline was not stored, since there is ${judgement.received}; correct the call, and store the baseline again`,
    );
  const keep = lengthUs === null ? got : steps;
  return { receivedBps: curve.receivedBps.slice(0, keep), queueDelayMs: curve.queueDelayMs.slice(0, keep) };
}

const passed = (text: string): Result => ({ pass: true, message: () => text });

async function writeMissing(match: BaselineMatch, path: string, update: Update): Promise<Result> {
  writeBaseline(path, await recordCurve(match));
  const text = `A baseline doesn't exist at ${path}, writing actual.`;
  // As with Playwright's snapshots, a test that only stores its reference fails by default, and is not retried.
  if (update === 'default') return { pass: false, message: () => text, shouldNotRetryTest: true };
  console.log(text);
  return passed(text);
}

/** Implements `expect(call).toMatchBaseline(name)`. */
export async function matchBaseline(
  state: ExpectMatcherState,
  match: BaselineMatch,
  judging: Judging,
): Promise<Result> {
  const info = runningTest();
  if (!info) throw new ConfigError('toMatchBaseline', 'a running test', 'none', 'call it inside a test');
  const path = info.snapshotPath(`${match.name}.json`);
  const update = updateOf(info.config);
  if (!existsSync(path)) {
    if (state.isNot)
      return passed(
        `A baseline doesn't exist at ${path}; matchers with ".not" don't write them: run without it first.`,
      );
    if (update === 'none')
      return {
        pass: false,
        message: () => `A baseline doesn't exist at ${path}; run with --update-snapshots.`,
      };
    return writeMissing(match, path, update);
  }
  if (update === 'all' && !state.isNot) {
    writeBaseline(path, await recordCurve(match));
    console.log(`${path} was replaced.`);
    return passed(path);
  }
  const rule = { ...match, curve: readBaseline(path) };
  const result = await judging((asked) => judgeBaseline(asked, rule));
  if (update !== 'changed' || result.pass || state.isNot) return result;
  writeBaseline(
    path,
    await recordCurve({ ...match, lengthUs: rule.curve.receivedBps.length * BASELINE_STEP_US }),
  );
  console.log(`${path} does not match, writing actual.`);
  return passed(path);
}

/** @throws ConfigError if `name` is not a file name */
export function baselineName(name: string): string {
  if (typeof name === 'string' && /^[\w.-]+$/.test(name)) return name.replace(/\.json$/, '');
  const expected = 'only letters, digits, `_`, `-` and `.`';
  throw new ConfigError('name', expected, shown(name), "write, for example, 'lte-drop'");
}
