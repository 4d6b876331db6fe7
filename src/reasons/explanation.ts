/** Everything that charts show to explain a controller's target. */
import type { TargetChange } from './change.js';
import { marksOf, type Mark } from './marks.js';
import { targetChanges, type ChangesQuery } from './target_changes.js';
import type { TraceData } from '../trace/index.js';

export type ExplanationQuery = Required<ChangesQuery>;

export interface Explanation {
  changes: readonly TargetChange[];
  marks: readonly Mark[];
}

export const explained = (trace: TraceData, query: ExplanationQuery): Explanation => ({
  changes: targetChanges(trace, query),
  marks: marksOf(trace, query.link),
});
