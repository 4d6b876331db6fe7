/**
 * The types of the list that explains why a controller's target rate changed. The list has one line for each
 * change, in plain words and with numbers.
 */
import type { CauseKind } from '../judge/cause_kinds.js';

/**
 * The kind of reason for which the target changed or stayed constant. Kinds that ../judge also uses to explain
 * failed tests have the same names there. The other kinds are decisions that only a controller's internal rows
 * show.
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

/** Why the target changed: a kind, its wording, and the numbers in the wording. */
export interface Reason {
  kind: ReasonKind;
  /** The text before the colon of the line. */
  label: string;
  /** The observation behind the reason, with numbers; empty if the label is enough. */
  detail: string;
  /** The numbers in `detail`, named like trace columns and parameters. */
  evidence: Readonly<Record<string, number>>;
}

/** How the target moved: down in one step (`fall`), over many steps (`rise`, `decline`), or not at all (`flat`). */
export type ChangeShape = 'fall' | 'rise' | 'decline' | 'flat';

/** One line of the list. The changes are in time order and do not overlap. */
export interface TargetChange {
  shape: ChangeShape;
  kind: ReasonKind;
  /** The times of the `rate` rows at which the change begins and ends. */
  fromUs: number;
  toUs: number;
  fromBps: number;
  toBps: number;
  text: string;
  evidence: Readonly<Record<string, number>>;
}

/** The reason that is given if nothing in the recorded rows explains a change. */
export const UNKNOWN: Reason = {
  kind: 'unknown',
  label: 'unknown',
  detail: 'no cause is visible in the recorded rows',
  evidence: {},
};
