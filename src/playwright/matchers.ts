/**
 * Congestion-control matchers for Playwright's `expect`. Like Playwright's own matchers, they judge repeatedly
 * until they have a verdict. ../judge defines the judgements.
 */
import { expect as base, type ExpectMatcherState, type MatcherReturnType } from '@playwright/test';

import {
  type Asked,
  changesOf,
  type DelayLimit,
  judgeConvergence,
  judgeFairness,
  judgeFreezes,
  judgeLoss,
  type Judgement,
  judgeProved,
  judgeQueuingDelay,
  judgeRecovery,
  judgeUtilisation,
  type Needs,
  type WindowRule,
} from '../judge/index.js';
import { ConfigError, shown } from '../text/quantities.js';
import { baselineName, matchBaseline } from './baseline.js';
import { ObservedCall } from './call.js';
import { withInterruptions } from './interrupted.js';
import { failureText } from './message.js';
import { checkNames } from './option_names.js';
import { rateBps, ratioOf, timeUs, type Rate, type Ratio, type Time } from './quantities.js';
import { waitForVerdict } from './wait.js';

/** Options of all matchers. */
export interface WaitingOptions {
  /** How long to wait in total. Default: as long as the judgement needs. */
  timeout?: Time;
}

export interface WindowOptions extends WaitingOptions {
  /** Length of the judged window. Default: 10 s. The matcher waits until the call has run for this time. */
  over?: Time;
  /**
   * A change of the link. The window starts at this change, or later if the matcher tries later windows, too.
   * Default: the window starts at or after the last change of the link.
   */
  after?: { readonly timeUs: number };
}

const WAITING_NAMES = ['timeout'] as const satisfies readonly (keyof WaitingOptions)[];
const WINDOW_NAMES = [...WAITING_NAMES, 'over', 'after'] as const satisfies readonly (keyof WindowOptions)[];

/** Upper limits of percentiles of the queuing delay (`p50`, `p95`, `p99.9`, …) and of its maximum (`max`). */
export type DelayLimits = Readonly<Partial<Record<`p${number}` | 'max', Time>>>;

const DEFAULT_WITHIN = '15s';
const DEFAULT_TOLERANCE = 0.2;
const DEFAULT_OVER = '10s';
const DEFAULT_JAIN = 0.9;
const DEFAULT_BASELINE_TOLERANCE = 0.25;
const DEFAULT_BASELINE_DELAY = '50ms';
/** The shortest `within` that is allowed, since rates are averaged over the trailing 2 s. */
const LEAST_WITHIN_US = 2e6;

const isCall = (value: unknown): value is ObservedCall => value instanceof ObservedCall;

/** @throws ConfigError if `call` is not a call */
function checkedCall(matcher: string, call: unknown): ObservedCall {
  if (isCall(call)) return call;
  throw new ConfigError(
    `expect(…).${matcher}()`,
    'a call',
    shown(call),
    'pass the `call` fixture, or `call.sentBy(page)`',
  );
}

/** The time of a change of the link that a test passed. @throws ConfigError if it is not a change */
function changeUs(after: { readonly timeUs: number } | null): number {
  const time: unknown = after?.timeUs;
  if (typeof time === 'number' && Number.isFinite(time)) return time;
  const fix = 'write `const change = await link.set(…)`, and pass `change`';
  throw new ConfigError('after', 'a change of the link', shown(after), fix);
}

async function expectOf(
  state: ExpectMatcherState,
  matcher: string,
  call: ObservedCall,
  { timeout, retries, needs = 'any' }: WaitingOptions & { retries: boolean; needs?: Needs },
  judge: (asked: Asked) => Judgement,
): Promise<MatcherReturnType> {
  checkedCall(matcher, call);
  const { isNot } = state;
  const timeoutMs = timeout === undefined ? undefined : timeUs('timeout', timeout) / 1e3;
  const proved = (asked: Asked): Judgement => judgeProved(asked, needs, judge);
  const verdict = await waitForVerdict(call, proved, {
    isNot,
    timeoutMs,
    retryMs: retries ? state.timeout : 0,
  });
  const { cut } = verdict;
  const judgement = withInterruptions(verdict.judgement, call.record.link);
  // Without a verdict, the expectation must fail. A negated expectation fails if `pass` is true.
  const pass = judgement.settled ? judgement.pass : isNot;
  call.judged({ matcher, judgement, isNot, timeUs: call.nowUs, view: call.view });
  const hint = state.utils.matcherHint(matcher, 'call', 'expected', { isNot });
  return {
    pass,
    name: matcher,
    expected: judgement.expected,
    actual: judgement.received,
    message: () => `${hint}\n\n${failureText(call, { judgement, cut }, isNot)}`,
    ...(cut && timeoutMs !== undefined ? { timeout: timeoutMs } : {}),
  };
}

/**
 * The rule for the judged window. With `retries` or with the option `timeout`, later windows are judged, too,
 * until the expectation is met. Otherwise only a single window is judged.
 */
const windowRule = ({ over = DEFAULT_OVER, timeout, after }: WindowOptions, retries = false): WindowRule => ({
  overUs: timeUs('over', over),
  mode: retries || timeout !== undefined ? 'retry' : 'once',
  ...(after === undefined ? {} : { afterUs: changeUs(after) }),
});

const LIMITS_FIX = "write, for example, { p95: '100ms' }";

function delayLimits(limits: DelayLimits): DelayLimit[] {
  const found = Object.entries(limits).map(([name, limit = NaN]): DelayLimit => {
    const percentile = name === 'max' ? 100 : Number(/^p(\d+(?:\.\d+)?)$/.exec(name)?.[1] ?? NaN);
    if (!(percentile > 0 && percentile <= 100))
      throw new ConfigError(name, 'a percentile such as p95, or max', shown(name), LIMITS_FIX);
    return { percentile, ms: timeUs(name, limit) / 1e3 };
  });
  if (found.length === 0) throw new ConfigError('limits', 'at least one percentile', '{}', LIMITS_FIX);
  return found;
}

/** @throws ConfigError if there is no limit */
function utilisationLimits(limits: { min?: Ratio; max?: Ratio } | null | undefined): {
  min?: Ratio;
  max?: Ratio;
} {
  if (limits?.min !== undefined || limits?.max !== undefined) {
    checkNames(limits, ['min', 'max'], 'limits');
    return limits;
  }
  throw new ConfigError(
    'limits',
    '`min`, `max` or both',
    shown(limits),
    "write, for example, { min: '80%' }",
  );
}

/** @throws ConfigError if there is no call, or something that is not a call */
function otherCalls(others: ObservedCall | readonly ObservedCall[]): ObservedCall[] {
  const calls = [others].flat();
  if (calls.length > 0 && calls.every(isCall)) return calls;
  const fix = 'pass, for example, `call.sentBy(page)`';
  throw new ConfigError('others', 'one or more calls', shown(others), fix);
}

export const callMatchers = {
  /**
   * The received rate, averaged over the trailing 2 s, reaches `rate` ± `tolerance` (default 20 %) and stays
   * there for a second. The rate must be reached within `within` (default 15 s) after connecting or after the
   * last change of the link.
   */
  async toConvergeTo(
    this: ExpectMatcherState,
    call: ObservedCall,
    rate: Rate,
    options: WaitingOptions & { within?: Time; tolerance?: Ratio } = {},
  ): Promise<MatcherReturnType> {
    checkNames(options, [...WAITING_NAMES, 'within', 'tolerance']);
    const rule = {
      rateBps: rateBps('rate', rate),
      tolerance: ratioOf('tolerance', options.tolerance ?? DEFAULT_TOLERANCE),
      withinUs: timeUs('within', options.within ?? DEFAULT_WITHIN),
    };
    if (rule.withinUs < LEAST_WITHIN_US)
      throw new ConfigError(
        'within',
        'at least 2 s',
        shown(options.within),
        'allow 2 s or more, since each rate is an average over 2 s',
      );
    return expectOf(this, 'toConvergeTo', call, { ...options, retries: false }, (asked) =>
      judgeConvergence(asked, rule),
    );
  },

  /**
   * The call recovers within `time` after a change of the link (default: the last change). The call has
   * recovered when three conditions hold:
   * - The received rate is at least 90 % of `to`. Default for `to`: the rate before the change, or the capacity
   *   if the capacity is lower.
   * - The queuing delay has been below 50 ms for a second.
   * - No freeze is in progress.
   */
  async toRecoverWithin(
    this: ExpectMatcherState,
    call: ObservedCall,
    time: Time,
    options: WaitingOptions & { after?: { readonly timeUs: number }; to?: Rate } = {},
  ): Promise<MatcherReturnType> {
    checkNames(options, [...WAITING_NAMES, 'after', 'to']);
    const { record } = checkedCall('toRecoverWithin', call);
    const change = options.after ?? changesOf(record).at(-1) ?? { timeUs: 0 };
    const rule = {
      afterUs: changeUs(change),
      withinUs: timeUs('time', time),
      ...(options.to === undefined ? {} : { toBps: rateBps('to', options.to) }),
    };
    return expectOf(this, 'toRecoverWithin', call, { ...options, retries: false }, (asked) =>
      judgeRecovery(asked, rule),
    );
  },

  /** Over a window, percentiles of the packets' queuing delay stay below the given limits. */
  async toKeepQueuingDelayBelow(
    this: ExpectMatcherState,
    call: ObservedCall,
    limits: DelayLimits,
    options: WindowOptions = {},
  ): Promise<MatcherReturnType> {
    checkNames(options, WINDOW_NAMES);
    const rule = { ...windowRule(options), limits: delayLimits(limits) };
    return expectOf(this, 'toKeepQueuingDelayBelow', call, { ...options, retries: false }, (asked) =>
      judgeQueuingDelay(asked, rule),
    );
  },

  /**
   * Over a window, the fraction of the capacity that is used lies between `min` and `max`. By default, only the
   * call's packets count. With `of: 'link'`, all packets on the link count.
   */
  async toHaveUtilisation(
    this: ExpectMatcherState,
    call: ObservedCall,
    limits: { min?: Ratio; max?: Ratio },
    options: WindowOptions & { of?: 'call' | 'link' } = {},
  ): Promise<MatcherReturnType> {
    checkNames(options, [...WINDOW_NAMES, 'of']);
    const { min, max } = utilisationLimits(limits);
    const rule = {
      ...windowRule(options, true),
      ...(min === undefined ? {} : { min: ratioOf('min', min) }),
      ...(max === undefined ? {} : { max: ratioOf('max', max) }),
      of: options.of ?? 'call',
    };
    return expectOf(this, 'toHaveUtilisation', call, { ...options, retries: true }, (asked) =>
      judgeUtilisation(asked, rule),
    );
  },

  /**
   * Over a window, the loss ratio is below `ratio`. Packets lost at random and packets dropped by the queue
   * count.
   */
  async toLoseLessThan(
    this: ExpectMatcherState,
    call: ObservedCall,
    ratio: Ratio,
    options: WindowOptions = {},
  ): Promise<MatcherReturnType> {
    checkNames(options, WINDOW_NAMES);
    const rule = { ...windowRule(options), ratio: ratioOf('ratio', ratio) };
    return expectOf(this, 'toLoseLessThan', call, { ...options, retries: false }, (asked) =>
      judgeLoss(asked, rule),
    );
  },

  /**
   * Over a window, Jain's index of the received rates of this call and of `others` is at least `jain` (default
   * 0.9). The window does not begin before all the calls are connected.
   */
  async toBeFairWith(
    this: ExpectMatcherState,
    call: ObservedCall,
    others: ObservedCall | readonly ObservedCall[],
    options: WindowOptions & { jain?: Ratio } = {},
  ): Promise<MatcherReturnType> {
    checkNames(options, [...WINDOW_NAMES, 'jain']);
    const rule = {
      ...windowRule(options, true),
      jain: ratioOf('jain', options.jain ?? DEFAULT_JAIN),
      others: otherCalls(others),
    };
    return expectOf(this, 'toBeFairWith', call, { ...options, retries: true }, (asked) =>
      judgeFairness(asked, rule),
    );
  },

  /** Over a window, no freeze of the received video is longer than `time`. */
  async toHaveNoFreezeLongerThan(
    this: ExpectMatcherState,
    call: ObservedCall,
    time: Time,
    options: WindowOptions = {},
  ): Promise<MatcherReturnType> {
    checkNames(options, WINDOW_NAMES);
    const rule = { ...windowRule(options), longestUs: timeUs('time', time) };
    const waiting = { ...options, retries: false, needs: 'video' } as const;
    return expectOf(this, 'toHaveNoFreezeLongerThan', call, waiting, (asked) => judgeFreezes(asked, rule));
  },

  /**
   * The received rate and the queuing delay follow a stored curve: see ../judge/baseline.ts. Each curve begins
   * when its call connected. The curve is stored and updated like Playwright's snapshots.
   */
  async toMatchBaseline(
    this: ExpectMatcherState,
    call: ObservedCall,
    name: string,
    options: WaitingOptions & { tolerance?: Ratio; queuingDelay?: Time; over?: Time } = {},
  ): Promise<MatcherReturnType> {
    checkNames(options, [...WAITING_NAMES, 'tolerance', 'queuingDelay', 'over']);
    const match = {
      call: checkedCall('toMatchBaseline', call),
      name: baselineName(name),
      lengthUs: options.over === undefined ? null : timeUs('over', options.over),
      tolerance: ratioOf('tolerance', options.tolerance ?? DEFAULT_BASELINE_TOLERANCE),
      delayToleranceMs: timeUs('queuingDelay', options.queuingDelay ?? DEFAULT_BASELINE_DELAY) / 1e3,
    };
    return matchBaseline(this, match, (judge) =>
      expectOf(this, 'toMatchBaseline', call, { ...options, retries: false }, judge),
    );
  },
};

/** Playwright's `expect` with matchers for calls. To combine it with other matchers, use `mergeExpects`. */
export const expect = base.extend(callMatchers);
