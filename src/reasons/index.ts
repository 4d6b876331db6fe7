/** Why a controller did what it did, told from the rows that it recorded. */
export type { ChangeShape, ReasonKind, TargetChange } from './change.js';
export { FALL } from './segments.js';
export { changeAt, targetChanges, type ChangesQuery } from './target_changes.js';
export { marksOf, type Mark, type MarkKind } from './marks.js';
