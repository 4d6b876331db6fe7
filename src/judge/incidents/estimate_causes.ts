/**
 * Rules that use the browser's bandwidth estimate for a sender's connection, together with round-trip times and
 * losses.
 */
import type { Cause } from '../cause_kinds.js';
import { LOSS_DECREASES } from '../loss_thresholds.js';
import { msText, rateText } from '../text.js';
import { least, rttMs, targetBps, usualOf, type Evidence, share, isLimitedBy } from './evidence.js';
import { heavyLoss, someLoss } from './loss_causes.js';
import { earlierMs, LONG_QUEUE_MS, queuedMs, rttGrowthMs } from './queue.js';
import { cause, OVERUSE_FIX, type Rule } from './rule.js';
import type { Look } from './stream_looks.js';

/** A full queue is rarely shorter than this. */
const FULL_QUEUE_MS = 50;
/**
 * The first report of heavy loss may also cover packets from before the loss. So a lower loss ratio suffices in this
 * report.
 */
const FIRST_LOSSES = LOSS_DECREASES / 2;
/**
 * If the round trip at the first report of losses has grown by at most this fraction of its largest growth, the queue
 * was not full yet.
 */
const OF_FULL_QUEUE = 0.6;
/** The estimate has fallen if it is below this fraction of its usual value. */
export const ESTIMATE_FELL = 0.9;
/** An encoder that sends less than this fraction of its target rate is not limited by the target. */
export const FILLED = 0.8;
/** A value is constant if it does not change over this many samples. Samples are half a second apart. */
const STILL_LOOKS = 4;

export const availableBps = ({ sample }: Look): number => sample.availableOutgoingBps;

export const overuseSeenBySender: Rule = (evidence) => {
  const { usual, around } = evidence;
  const grown = queuedMs(evidence);
  if (grown === 0) return null;
  const [before, now] = [usualOf(usual, availableBps), least(around, availableBps)];
  const fell = now < ESTIMATE_FELL * before;
  const estimate = fell ? `; the browser's estimate fell from ${rateText(before)} to ${rateText(now)}` : '';
  return cause(
    'overuse',
    `A queue grew on the path: the round trip rose by ${msText(grown)} to ${msText(earlierMs(evidence) + grown)}${estimate}.`,
    OVERUSE_FIX,
  );
};

/**
 * Heavy loss without a full queue: when the losses were first reported, the round trip was normal, or well
 * below its later maximum.
 */
export const lossWithoutQueue: Rule = (evidence) => {
  const { usual, around } = evidence;
  const first = around.find(({ sent }) => sent.some(({ fractionLost }) => fractionLost > FIRST_LOSSES));
  if (first === undefined) return null;
  const grown = rttMs(first) - usualOf(usual, rttMs);
  const hadQueue = grown > FULL_QUEUE_MS && grown > OF_FULL_QUEUE * rttGrowthMs(evidence);
  return hadQueue ? null : heavyLoss(evidence);
};

/**
 * Whether an encoder sends about its target rate in most samples. If not, the target does not explain the rate. A
 * single sample proves nothing, since it may contain probes.
 */
export const usesTarget = (looks: readonly Look[]): boolean =>
  share(looks, (look) => look.rateBps < FILLED * targetBps(look)) < 0.5;

/**
 * The cause for the two rules below: the far side limited the rate (by REMB or TMMBR), and the estimate is then
 * constant. A browser sends no such limit by itself. So these rules do not apply if the record contains the far side,
 * which is then a browser.
 */
const toldBound = (before: number, now: number, how: string): Cause =>
  cause(
    'far-side-limited',
    `The browser's estimate fell from ${rateText(before)} to ${rateText(now)} ${how} and stays there: the far side has limited it (REMB).`,
    'Check what the far side, usually a server, is configured to accept from this sender.',
  );

const isStillAt = (looks: readonly Look[], bps: number, within: number): boolean =>
  looks.every((look) => Math.abs(availableBps(look) - bps) <= within * bps);

/**
 * Applies if the estimate fell in a single step and has been constant since. A controller that backs off would keep
 * changing the estimate.
 */
export const limitedAtOnce: Rule = (evidence) => {
  const { usual, around, isFarSideKnown } = evidence;
  if (isFarSideKnown) return null;
  const before = usualOf(usual, availableBps);
  const first = around.findIndex((look) => availableBps(look) < ESTIMATE_FELL * before);
  const fallen = first < 0 ? [] : around.slice(first);
  const now = usualOf(fallen, availableBps);
  const isStill = fallen.length >= STILL_LOOKS && isStillAt(fallen, now, 0.001);
  if (!isStill || !usesTarget(fallen) || rttGrowthMs(evidence) > LONG_QUEUE_MS) return null;
  return toldBound(before, now, 'in a single step');
};

/** Applies if the estimate fell and is constant, and no earlier rule has found a queue. */
export const limitedByFarSide: Rule = ({ usual, since, isFarSideKnown }) => {
  if (isFarSideKnown) return null;
  const before = usualOf(usual, availableBps);
  const latest = since.slice(-3);
  const now = latest.length < 3 ? NaN : usualOf(latest.slice(-1), availableBps);
  if (!(now < ESTIMATE_FELL * before) || !isStillAt(latest, now, 0.01) || !usesTarget(latest)) return null;
  return toldBound(before, now, 'without a growing queue');
};

export const estimateFell = ({ usual, around }: Evidence): boolean =>
  least(around, availableBps) < ESTIMATE_FELL * usualOf(usual, availableBps);

/**
 * Applies if the estimate fell and some packets were lost. The loss is then a better explanation than a delay
 * gradient. The only sign of a delay gradient would be the estimate itself.
 */
export const someLossByEstimate: Rule = (evidence) => (estimateFell(evidence) ? someLoss(evidence) : null);

/**
 * Applies if the estimate fell and no earlier rule applied. The browser's controller then probably saw a delay
 * gradient, which getStats does not report.
 */
export const overuseByEstimate: Rule = (evidence) => {
  const { usual, around, since } = evidence;
  if (!estimateFell(evidence) || share(since, isLimitedBy('bandwidth')) === 0) return null;
  const [before, now] = [usualOf(usual, availableBps), least(around, availableBps)];
  const grown = rttGrowthMs(evidence);
  const trip =
    grown > 0
      ? `the round trip grew by at most ${msText(grown)}`
      : Number.isFinite(grown)
        ? 'the round trip, which is measured about once a second, shows no queue'
        : 'the round trip is unknown';
  return cause(
    'overuse',
    `The browser's controller lowered its estimate from ${rateText(before)} to ${rateText(now)}, as it does when packets arrive further and further apart; ${trip}.`,
    OVERUSE_FIX,
  );
};
