/** What evidence is made of. */
import type { Judgement, View } from '../judge/index.js';
import type { CallRecord } from '../observe/record.js';
import type { EvidenceMetrics } from './measure.js';

/** An expectation of a test, and what was judged at its end. */
export interface JudgedExpectation {
  /** As in the test: `toConvergeTo`. */
  matcher: string;
  /** Whether the test said `not`. */
  isNot: boolean;
  judgement: Judgement;
  view: View;
  /** When it was judged. */
  timeUs: number;
}

/** Whether it came as the test expected. */
export const holds = ({ judgement, isNot }: JudgedExpectation): boolean => judgement.pass !== isNot;

export interface EvidenceInput {
  record: CallRecord;
  judged: readonly JudgedExpectation[];
  /** Of `measure`. */
  metrics: EvidenceMetrics;
  /** Of the test or the command, for people. */
  title: string;
  /** Null for a call that nothing was expected of. */
  outcome: 'passed' | 'failed' | null;
  /** Why it failed, without colours, in a few lines; empty if it passed. */
  error: string;
  created: Date;
}
