/** All that charts say about why a target did what it did. */
import type { TargetChange } from './change.js';
import { marksOf, type Mark } from './marks.js';
import { targetChanges, type ChangesQuery } from './target_changes.js';
import type { TraceData } from '../trace/index.js';

export interface ExplanationQuery extends ChangesQuery {
  /** The bottleneck whose changes are marked; the only one there is where it is null. */
  link: number | null;
}

export interface Explanation {
  changes: readonly TargetChange[];
  marks: readonly Mark[];
}

export const explained = (trace: TraceData, query: ExplanationQuery): Explanation => ({
  changes: targetChanges(trace, query),
  marks: marksOf(trace, query.link),
});
