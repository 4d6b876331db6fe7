/** Fake tests, in the form in which a reporter gets them at the end of a run. */
import type { TestCase, TestError, TestResult } from '@playwright/test/reporter';

export interface Attempt {
  /** The properties that the kit stores, without the prefix `ccscope.` of their names. */
  properties?: Readonly<Record<string, string | number>>;
  errors?: readonly TestError[];
  status?: TestResult['status'];
  /** The index of the worker, counted from 0. */
  worker?: number;
}

export interface FakeTest {
  title?: readonly string[];
  project?: string;
  file?: string;
  attempts: readonly Attempt[];
}

const resultOf = ({ properties = {}, errors = [], status, worker = 0 }: Attempt, retry: number): TestResult =>
  ({
    retry,
    parallelIndex: worker,
    errors,
    status: status ?? (errors.length > 0 ? 'failed' : 'passed'),
    annotations: Object.entries(properties).map(([name, value]) => ({
      type: `ccscope.${name}`,
      description: String(value),
    })),
  }) as unknown as TestResult;

/** A test that is expected to pass. */
export function fakeTest({
  title = ['a call', 'recovers'],
  project = '',
  file = '/repo/tests/call.spec.ts',
  attempts,
}: FakeTest): TestCase {
  const results = attempts.map(resultOf);
  const last = results.at(-1)?.status;
  const outcome = last === 'skipped' ? 'skipped' : last !== 'passed' ? 'unexpected' : 'expected';
  const flaky = outcome === 'expected' && results.some(({ status }) => status === 'failed');
  return {
    results,
    expectedStatus: 'passed',
    annotations: results.at(-1)?.annotations ?? [],
    location: { file, line: 3, column: 1 },
    titlePath: () => ['', project, 'call.spec.ts', ...title],
    outcome: () => (flaky ? 'flaky' : outcome),
    ok: () => outcome !== 'unexpected',
  } as unknown as TestCase;
}
