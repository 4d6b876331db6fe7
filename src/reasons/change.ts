/** What a list of a target's changes holds: one line each, in plain words with its numbers. */
import type { CauseKind } from '../judge/cause_kinds.js';

/**
 * What changed the target, or kept it where it was. Where the cause of a test names the same thing it has the same
 * name; the others are decisions that only the inside of a controller shows.
 */
export type ReasonKind =
  | Extract<
      CauseKind,
      'overuse' | 'loss' | 'capacity' | 'cap' | 'application-limited' | 'ramping-up' | 'unknown'
    >
  | 'drain'
  | 'increase'
  | 'hold'
  | 'underuse'
  | 'setting'
  | 'restart'
  | 'gradual'
  | 'cut'
  | 'expectation'
  | 'exploration';

/** Why: a kind, the words that stand for it, and the numbers in them. */
export interface Reason {
  kind: ReasonKind;
  /** What stands before the colon. */
  label: string;
  /** What was seen, with numbers; empty where the label says it all. */
  detail: string;
  /** The same numbers, named as columns and parameters are. */
  evidence: Readonly<Record<string, number>>;
}

/** How the target moved: in one step, in many of one direction, or not at all. */
export type ChangeShape = 'fall' | 'rise' | 'decline' | 'flat';

/** One line of the list. Changes do not overlap and stand in time order. */
export interface TargetChange {
  shape: ChangeShape;
  kind: ReasonKind;
  /** The times of the rows of `rate` between which it lies. */
  fromUs: number;
  toUs: number;
  fromBps: number;
  toBps: number;
  text: string;
  evidence: Readonly<Record<string, number>>;
}

/** What is said where nothing that was recorded explains a change. */
export const UNKNOWN: Reason = {
  kind: 'unknown',
  label: 'unknown',
  detail: 'no cause is visible in the recorded rows',
  evidence: {},
};
