/**
 * The complete explanation of a controller's target for charts: the changes of the target, the marks, and how the
 * link is shared at the end.
 */
import type { TargetChange } from './change.js';
import { marksOf, type Mark } from './marks.js';
import { sharingAtEnd, type Sharing } from './sharing.js';
import { targetChanges, type ChangesQuery } from './target_changes.js';
import type { TraceData } from '../trace/index.js';

export type ExplanationQuery = Required<ChangesQuery>;

export interface Explanation {
  changes: readonly TargetChange[];
  marks: readonly Mark[];
  /** Null if no other flow takes a substantial share of the capacity. */
  sharing: Sharing | null;
}

export const explained = (trace: TraceData, query: ExplanationQuery): Explanation => ({
  changes: targetChanges(trace, query),
  marks: marksOf(trace, query.link, query.header),
  sharing: sharingAtEnd(trace, query),
});
