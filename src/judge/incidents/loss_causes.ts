/** Rules for loss as a cause: more loss than was usual. */
import { LOSS_DECREASES, LOSS_HOLDS } from '../loss_thresholds.js';
import { shareText } from '../text.js';
import { greatest, lossCount, lossOf, type Evidence } from './evidence.js';
import { cause, type Rule } from './rule.js';
import type { Look } from './stream_looks.js';

/**
 * The number of lost packets must exceed the usual number by this many standard deviations of a Poisson count. So the
 * fewer packets there are, the higher the loss ratio must be.
 */
const COUNTS_SCATTER = 3;
/**
 * Reports are ignored in samples with fewer packets than this: such a report is probably on few packets, of which one or
 * two lost ones may already be 10 %.
 */
const LEAST_REPORTED = 25;

/** Whether more packets than usual were lost, by a difference that chance does not explain. */
export function losesMore(looks: readonly Look[], { usual, stream: { direction } }: Evidence): boolean {
  const { lost, of } = lossCount(looks, direction);
  const expected = of * lossOf(usual, direction);
  return lost - expected > COUNTS_SCATTER * Math.sqrt(expected + 1);
}

/** The highest loss ratio in a receiver report. */
function toldLoss(looks: readonly Look[]): number {
  const told = greatest(
    looks.filter(({ packets }) => packets >= LEAST_REPORTED),
    ({ sent }) => Math.max(...sent.map(({ fractionLost }) => fractionLost)),
  );
  return Number.isFinite(told) ? told : 0;
}

const lossAbove =
  (limit: number, effect: string): Rule =>
  (evidence) => {
    const { usual, around, since, stream } = evidence;
    const grown = [around, since].filter((looks) => losesMore(looks, evidence));
    if (grown.length === 0) return null;
    const counted = grown.map((looks) => lossOf(looks, stream.direction));
    const ratio = Math.max(...counted, toldLoss(around));
    if (ratio <= limit) return null;
    return cause(
      'loss',
      `${shareText(ratio)} of the packets were lost, up from ${shareText(lossOf(usual, stream.direction))}; ${effect}.`,
      'Find where packets are lost: a bad radio link, or a queue that is too short for the bursts.',
    );
  };

export const heavyLoss = lossAbove(LOSS_DECREASES, 'above 10 % a sender lowers its rate');
export const someLoss = lossAbove(
  LOSS_HOLDS,
  'above 2 % a sender does not raise its rate, and below that retransmissions take part of it',
);
