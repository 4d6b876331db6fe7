/**
 * The property `ccscope.failed`, which tells the reporter which expectations of a test's call were not met, and
 * why.
 */
import * as v from 'valibot';

import { holds } from '../../evidence/input.js';
import type { JudgedExpectation } from '../../judge/index.js';

const schema = v.array(
  v.object({
    /** `toRecoverWithin`, `not.toConvergeTo`. */
    matcher: v.string(),
    /** As in the error's message, with units. */
    expected: v.string(),
    received: v.string(),
    cause: v.nullable(v.object({ kind: v.string(), evidence: v.string(), fix: v.string() })),
  }),
);

export type FailedExpectation = v.InferOutput<typeof schema>[number];

/** Expectations that are retried fail often; the last failures are the ones that count. */
const MOST = 10;

/** The property's text; null if every expectation was met. */
export function failedText(judged: readonly JudgedExpectation[]): string | null {
  const texts = judged
    .filter((one) => !holds(one))
    .map(({ matcher, isNot, judgement: { expected, received, cause, settled } }): string => {
      const failed: FailedExpectation = {
        matcher: `${isNot ? 'not.' : ''}${matcher}`,
        expected: `${isNot ? 'not ' : ''}${expected}`,
        received,
        // The negation of an expectation fails because the expectation was met, which needs no explanation.
        cause: isNot && settled ? null : cause,
      };
      return JSON.stringify(failed);
    });
  return texts.length === 0 ? null : `[${[...new Set(texts)].slice(-MOST).join(',')}]`;
}

/** Parses the property; empty if another version wrote something else. */
export function failedOf(text: string | undefined): FailedExpectation[] {
  if (text === undefined) return [];
  try {
    const result = v.safeParse(schema, JSON.parse(text));
    return result.success ? result.output : [];
  } catch {
    return [];
  }
}
