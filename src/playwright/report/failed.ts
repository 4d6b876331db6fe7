/**
 * The property `ccscope.failed`: the expectations of a call that were not met, and why. The reporter reads this
 * property.
 */
import * as v from 'valibot';

import { holds } from '../../evidence/input.js';
import type { JudgedExpectation } from '../../judge/index.js';

const schema = v.array(
  v.object({
    /** For example `toRecoverWithin` or `not.toConvergeTo`. */
    matcher: v.string(),
    /** `expected` and `received`: as in the error's message, with units. */
    expected: v.string(),
    received: v.string(),
    cause: v.nullable(v.object({ kind: v.string(), evidence: v.string(), fix: v.string() })),
  }),
);

export type FailedExpectation = v.InferOutput<typeof schema>[number];

/** At most this many failures are stored: the last ones. An expectation that is retried may fail many times. */
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
        // If an expectation with `.not` fails, the condition holds. There is no cause to explain.
        cause: isNot && settled ? null : cause,
      };
      return JSON.stringify(failed);
    });
  return texts.length === 0 ? null : `[${[...new Set(texts)].slice(-MOST).join(',')}]`;
}

/** Parses the property. Empty if another version of ccscope wrote the property in another format. */
export function failedOf(text: string | undefined): FailedExpectation[] {
  if (text === undefined) return [];
  try {
    const result = v.safeParse(schema, JSON.parse(text));
    return result.success ? result.output : [];
  } catch {
    return [];
  }
}
