/** Explains a controller's target from its recorded rows, and lists the changes made by users and schedules. */
export type { ChangeShape, ReasonKind, TargetChange } from './change.js';
export { explained, type Explanation, type ExplanationQuery } from './explanation.js';
export { marksOf, type Mark, type MarkKind } from './marks.js';
export { FALL } from './segments.js';
export type { Sharing } from './sharing.js';
export { changeAt, momentOf, targetChanges } from './target_changes.js';
