/** The form of the rules: each returns a cause if the evidence supports it, otherwise null. */
import type { Cause, CauseKind } from '../cause_kinds.js';
import type { Evidence } from './evidence.js';

export type Rule = (evidence: Evidence) => Cause | null;

export const cause = (kind: CauseKind, evidence: string, fix: string): Cause => ({ kind, evidence, fix });

/** A rate is at a limit if it is at least this fraction of the limit. */
export const AT_BOUND = 0.75;
