/** The form of the rules: each returns a cause if the evidence supports it, otherwise null. */
import type { Cause, CauseKind } from '../cause_kinds.js';
import type { Evidence } from './evidence.js';

export type Rule = (evidence: Evidence) => Cause | null;

export const cause = (kind: CauseKind, evidence: string, fix: string): Cause => ({ kind, evidence, fix });

/** A rate is at a limit if it is at least this fraction of the limit. */
export const AT_BOUND = 0.75;

/** What to do about overuse. Overuse means that more is sent than the path carries. */
export const OVERUSE_FIX =
  'The path carries less than was sent, or other traffic shares it: the sender backs off until the queue is empty.';
