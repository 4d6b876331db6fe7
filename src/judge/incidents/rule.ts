/** A cause that evidence may support. */
import type { Cause, CauseKind } from '../cause_kinds.js';
import type { Evidence } from './evidence.js';

export type Rule = (evidence: Evidence) => Cause | null;

export const cause = (kind: CauseKind, evidence: string, fix: string): Cause => ({ kind, evidence, fix });

/** A rate that stands at a limit is at least this share of it. */
export const AT_BOUND = 0.75;
