/** The types for judgements of a call: the input, the judgement, and the outcome in a test. */
import type { Window } from '../calls/metrics.js';
import type { Cause } from './cause_kinds.js';
import type { CallMetrics } from './call_metrics.js';
import type { CallRecord } from '../calls/record/record.js';
import type { View } from './view.js';

/** The verdict on one expectation at one moment of a call. */
export interface Judgement {
  pass: boolean;
  /** Whether the verdict can no longer change. */
  final: boolean;
  /**
   * Whether the data suffice for a verdict; false while the judgement waits for more. A settled verdict may
   * still change, unless it is final.
   */
  settled: boolean;
  /**
   * The time by which the verdict is settled if the call lasts that long, on the record's clock. Null while the call
   * is not connected.
   */
  dueUs: number | null;
  /** `expected` and `received`: what was expected and what was found, as readable text with units. */
  expected: string;
  received: string;
  /**
   * Why the expectation failed, as far as the record shows. Null if it passed; may be null if data are
   * missing.
   */
  cause: Cause | null;
  /** The window that was examined. */
  window: Window;
  metrics: CallMetrics | null;
}

/** An expectation of a test for a call, and its outcome. */
export interface JudgedExpectation {
  /** For example `toConvergeTo`. */
  matcher: string;
  judgement: Judgement;
  /** Whether the test expected the opposite. */
  isNot: boolean;
  /** When the verdict was given, on the record's clock. */
  timeUs: number;
  view: View;
}

/**
 * The input of a judgement: the part of a call that `view` selects, up to `nowUs`. The judgement was requested
 * at `askedUs`.
 */
export interface Asked {
  record: CallRecord;
  view: View;
  askedUs: number;
  nowUs: number;
}
