/** Reports failed expectations of calls at the lines where they are written. */
import { stripVTControlCharacters } from 'node:util';

import type { TestCase, TestError, TestResult } from '@playwright/test/reporter';

import { callsOf, failuresOf, titleOf } from './calls.js';
import type { Annotation } from './commands.js';
import type { FailedExpectation } from './failed.js';

interface Failure extends FailedExpectation {
  /** The run of `repeat`, for example `run-2`; empty outside `repeat`. */
  run: string;
}

/**
 * Whether an error is about a failed expectation. The error of `repeat` contains no `Expected:`, only one line
 * with `Received:` for each run.
 */
function tells(message: string, { expected, received }: Failure): boolean {
  const same = message.includes(`Received: ${received}`);
  return same && (!message.includes('Expected: ') || message.includes(`Expected: ${expected}`));
}

const textOf = ({ run, matcher, expected, received, cause }: Failure): string =>
  [
    `expect(call).${matcher}${run === '' ? '' : ` in ${run}`}`,
    `Expected: ${expected}`,
    `Received: ${received}`,
    ...(cause === null ? [] : [`Cause: ${cause.kind}: ${cause.evidence}`, `To do: ${cause.fix}`]),
  ].join('\n');

function annotationOf(
  test: TestCase,
  error: TestError,
  failures: readonly Failure[],
  passedLater: boolean,
): Annotation[] {
  const message = stripVTControlCharacters(error.message ?? '');
  const own = failures.filter((failure) => tells(message, failure));
  const [first] = own;
  if (first === undefined) return [];
  const flaky = passedLater ? ['Flaky: the test passed when it was tried again.'] : [];
  return [
    {
      level: passedLater ? 'warning' : 'error',
      title: `${titleOf(test)}: ${first.matcher}`,
      text: [...own.map(textOf), ...flaky].join('\n\n'),
      location: error.location ?? test.location,
    },
  ];
}

const isFailed = ({ errors }: TestResult): boolean => errors.length > 0;

/**
 * One annotation for each error about a call in the last failed attempt at a test. The annotation is a warning
 * if the test passed in a later attempt.
 */
export function failureAnnotations(test: TestCase): Annotation[] {
  const outcome = test.outcome();
  const result = test.results.findLast(isFailed);
  if (result === undefined || (outcome !== 'unexpected' && outcome !== 'flaky')) return [];
  const failures = callsOf(test, result).flatMap((call) =>
    failuresOf(call).map((failed) => ({ ...failed, run: call.run })),
  );
  return result.errors.flatMap((error) => annotationOf(test, error, failures, outcome === 'flaky'));
}
