/**
 * The conditions of every judgement: the call used its link, and it carried the media that the judgement needs.
 * If one condition does not hold, neither an expectation nor its opposite (`.not`) is met.
 */
import { notRoutedCause } from './cause_rules.js';
import { likelyCause } from './likely_cause.js';
import type { Asked, Judgement } from './judgement.js';
import { missingMedia } from './media.js';
import { LEAST_OUTSIDE_RATIO, routingOf } from './routing.js';
import { percentText } from './text.js';
import { pathsOf } from './view.js';

/** The media that a judgement needs. */
export type Needs = 'video' | 'any';

/** Calls `judge`, but gives no verdict if the call bypassed its link or if the needed media are missing. */
export function judgeProved(asked: Asked, needs: Needs, judge: (asked: Asked) => Judgement): Judgement {
  const judgement = judge(asked);
  return notRouted(asked, judgement) ?? withoutMedia(asked, needs, judgement) ?? judgement;
}

const noVerdict = (judgement: Judgement): Judgement => ({ ...judgement, pass: false, settled: false });

function notRouted({ record, view }: Asked, judgement: Judgement): Judgement | null {
  const routing = routingOf(record, pathsOf(record, view));
  if (routing === null || routing.outsideRatio <= LEAST_OUTSIDE_RATIO) return null;
  const received = `no verdict: ${percentText(routing.outsideRatio)} of the call's bytes bypassed the link`;
  return { ...noVerdict(judgement), final: true, received, cause: notRoutedCause(routing) };
}

function withoutMedia({ record, view }: Asked, needs: Needs, judgement: Judgement): Judgement | null {
  const { window, settled, final, metrics } = judgement;
  const waits = !settled && !final;
  if (waits || window.toUs <= window.fromUs) return null;
  const paths = pathsOf(record, view);
  const missing = missingMedia(paths, window, needs, metrics?.receivedBps ?? null);
  if (missing === null) return null;
  const cause = judgement.cause ?? likelyCause(record, paths, window, { kind: 'rate-low', neededBps: 0 });
  return { ...noVerdict(judgement), received: `no verdict: ${missing}`, cause };
}
