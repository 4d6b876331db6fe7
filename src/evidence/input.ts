/** The input from which evidence is created. */
import type { JudgedExpectation } from '../judge/index.js';
import type { CallRecord, RecordNotice } from '../calls/record/record.js';
import type { EvidenceMetrics } from './measure.js';

/**
 * Whether the call met the test's expectation. Without a verdict, neither an expectation nor its negation counts as
 * met.
 */
export const holds = ({ judgement, isNot }: JudgedExpectation): boolean =>
  judgement.settled && judgement.pass !== isNot;

export interface EvidenceInput {
  record: CallRecord;
  judged: readonly JudgedExpectation[];
  /** The result of `measure`. */
  metrics: EvidenceMetrics;
  /** A readable title of the test or the command. */
  title: string;
  /** Null for a call without expectations. */
  outcome: 'passed' | 'failed' | null;
  /** Why the test failed: a few lines without colour codes; empty if it did not fail. */
  error: string;
  created: Date;
}

/** All notices of a call, without duplicate messages. */
export function noticesOf({ record }: EvidenceInput): RecordNotice[] {
  const all = [
    ...record.notices,
    ...(record.link?.notices ?? []),
    ...record.endpoints.flatMap(({ notices }) => notices),
  ];
  return [...new Map(all.map((notice) => [notice.message, notice])).values()];
}
