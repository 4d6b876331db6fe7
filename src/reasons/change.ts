/**
 * The types of the list that explains why a controller's target rate changed. Each line of the list describes one
 * change in plain words, with numbers.
 */
import type { CauseKind } from '../judge/cause_kinds.js';

/**
 * The kind of reason why the target changed or stayed constant. Kinds that also explain failed tests have the
 * same names as in ../judge. `setting` and `restart` come from the trace's events. The other kinds are
 * decisions that only a controller's internal rows show.
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

/** Why the target changed. */
export interface Reason {
  kind: ReasonKind;
  /** A word for the reason, which begins the line. */
  label: string;
  /** The observation behind the reason, with numbers. Empty if the label needs no explanation. */
  detail: string;
  /**
   * The numbers behind the reason, with names in the style of trace columns. `time_us` is the time of the row
   * that shows the reason.
   */
  evidence: Readonly<Record<string, number>>;
}

/** A reason whose label is its kind, unless another one is given. */
export const reasonOf = (
  kind: ReasonKind,
  detail: string,
  evidence: Reason['evidence'] = {},
  label: string = kind,
): Reason => ({ kind, label, detail, evidence });

/** The reason for a target before the receiver half has received anything. */
export const NOT_BEGUN = reasonOf('hold', 'nothing was received yet', {}, 'start');

/**
 * How the target moved: down in one step (`fall`), down in small steps (`decline`), up (`rise`), or not at
 * all (`flat`).
 */
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

/** The reason for a change that no recorded row explains. */
export const UNKNOWN = reasonOf('unknown', 'no cause is visible in the recorded rows');
