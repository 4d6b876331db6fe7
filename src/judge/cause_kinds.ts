/** The kinds of causes. likely_cause.ts decides which kind applies, by the rules of cause_rules.ts. */

export type CauseKind =
  | 'not-connected'
  | 'not-routed'
  | 'page-ended'
  | 'machine-overloaded'
  | 'no-media'
  | 'capacity'
  | 'outage'
  | 'waiting-for-key-frame'
  | 'cap'
  | 'cpu-limited'
  | 'sender-paused'
  | 'layer-dropped'
  | 'route-change'
  | 'feedback-missing'
  | 'application-limited'
  | 'far-side-limited'
  | 'loss'
  | 'cross-traffic'
  | 'overuse'
  | 'ramping-up'
  | 'unknown';

export interface Cause {
  kind: CauseKind;
  /** One sentence with numbers. */
  evidence: string;
  /** One line: what to do. */
  fix: string;
}

/** What was wrong with the call. */
export type Symptom =
  /** `isOfLink`: the rate is that of all traffic on the link, not that of the call alone. */
  | { kind: 'rate-low'; neededBps: number; isOfLink?: boolean }
  | { kind: 'rate-high'; limitBps: number }
  | { kind: 'delay-high' | 'loss-high' | 'frozen' };
