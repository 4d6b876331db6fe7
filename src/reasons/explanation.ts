/** The complete explanation of a controller's target for charts: the changes of the target, and the marks. */
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
