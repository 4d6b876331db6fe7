// Judges the tests of a part. Real calls share the machine with other programs and with the other parts, so a failed
// test runs once more when all parts have ended and nothing else runs, and its second result counts.
//
// A failure is {name, error, again, isTaken}: `again` is what a second run has to run, a test file or FILE:LINE;
// `isTaken` says that other virtual machines used the processors while a test judged rates and delays (wakes.mjs).

/** The files, or the tests as FILE:LINE, that have to run once more; [] if no failed test can run again. */
export const toRunAgain = ({ failures = [] }) => [
  ...new Set(failures.map(({ again }) => again).filter((again) => again !== undefined)),
];

/**
 * The outcome of a part whose failed tests ran once more. The tests that passed only at their second run are named in
 * `unsteady`, so that none of them is overlooked.
 */
export function withSecondRun(first, second) {
  // A second run that ended without results, or that left out a failed test, proves nothing.
  const asked = first.failures.filter(({ again }) => again !== undefined).length;
  if (!second.failures || second.passed + second.failed < asked) return first;
  const sameIn = (failures, { name }) => failures.find((other) => other.name === name);
  const remaining = first.failures.filter(({ again }) => again === undefined);
  const failures = second.failures.map((failure) => ({
    ...failure,
    isTaken: Boolean(failure.isTaken) && sameIn(first.failures, failure)?.isTaken !== false,
  }));
  const failed = remaining.length + second.failed;
  return {
    ...first,
    passed: first.passed + first.failed - failed,
    failed,
    failures: [...remaining, ...failures],
    unsteady: [
      ...first.unsteady,
      ...first.failures.filter((failure) => failure.again !== undefined && !sameIn(failures, failure)),
    ],
    seconds: first.seconds + second.seconds,
  };
}

/**
 * Separates the failures that have no verdict, because other virtual machines used the processors during every run of
 * the test. They do not count as failed.
 */
export function judged({ failures = [], ...outcome }) {
  const unjudged = failures.filter(({ isTaken }) => isTaken);
  return {
    ...outcome,
    failed: outcome.failed - unjudged.length,
    failures: failures.filter(({ isTaken }) => !isTaken),
    unjudged,
  };
}
