/**
 * The conditions of every judgement: that the call used its link, and that there was something to judge. Without
 * them neither an expectation nor its opposite is met.
 */
import { notRoutedCause } from './cause_rules.js';
import { likelyCause } from './likely_cause.js';
import type { Asked, Judgement } from './judgement.js';
import { missingMedia } from './media.js';
import { LEAST_OUTSIDE_RATIO, routingOf } from './routing.js';
import { percentText } from './text.js';
import { pathsOf } from './view.js';

/** What a judgement examines. */
export type Needs = 'video' | 'any';

/** Judges, but gives no verdict if the call bypassed its link or there was nothing to judge. */
export function judgeProved(asked: Asked, needs: Needs, judge: (asked: Asked) => Judgement): Judgement {
  const judgement = judge(asked);
  return notRouted(asked, judgement) ?? withoutMedia(asked, needs, judgement) ?? judgement;
}

const noVerdict = (judgement: Judgement): Judgement => ({ ...judgement, pass: false, settled: false });

function notRouted({ record, view }: Asked, judgement: Judgement): Judgement | null {
  const routing = routingOf(record, pathsOf(record, view));
  if (routing === null || routing.outsideRatio <= LEAST_OUTSIDE_RATIO) return null;
  const received = `no verdict: ${percentText(routing.outsideRatio)} of the call's bytes went past the link`;
  return { ...noVerdict(judgement), final: true, received, cause: notRoutedCause(routing) };
}

function withoutMedia({ record, view }: Asked, needs: Needs, judgement: Judgement): Judgement | null {
  const { window, settled, metrics } = judgement;
  if (!settled || window.toUs <= window.fromUs) return null;
  const paths = pathsOf(record, view);
  const missing = missingMedia(paths, window, needs, metrics?.receivedBps ?? null);
  if (missing === null) return null;
  const cause = judgement.cause ?? likelyCause(record, paths, window, { kind: 'rate-low', neededBps: 0 });
  return { ...noVerdict(judgement), received: `no verdict: ${missing}`, cause };
}
