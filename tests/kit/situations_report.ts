/** Counts the right verdicts and causes of situations.test.ts, and fails the run if there are too few. */
import type { FullResult, Reporter, TestCase, TestResult } from '@playwright/test/reporter';

/** The minimum fraction of causes that must be right. All verdicts must be right. */
const LEAST_RIGHT_CAUSES = 0.95;

export default class SituationsReport implements Reporter {
  readonly #last = new Map<string, { title: string; verdict: string; cause: string; took: string }>();

  onTestEnd(test: TestCase, { annotations, duration }: TestResult): void {
    const said = (type: string): string =>
      annotations.find((annotation) => annotation.type === type)?.description ??
      'wrong: it did not come so far';
    const took = `${(duration / 1e3).toFixed(0)} s`;
    this.#last.set(test.id, { title: test.title, verdict: said('verdict'), cause: said('cause'), took });
    process.stdout.write(`${said('cause') === 'right' ? '✓' : '✗'} ${test.title} (${took})\n`);
  }

  onEnd(): Promise<{ status: FullResult['status'] }> {
    const all = [...this.#last.values()];
    const right = (of: 'verdict' | 'cause'): number => all.filter((one) => one[of] === 'right').length;
    for (const { title, verdict, cause } of all)
      if (cause !== 'right') process.stdout.write(`  ${title}: verdict ${verdict}, cause ${cause}\n`);
    process.stdout.write(
      `right verdicts ${right('verdict')} of ${all.length}, right causes ${right('cause')} of ${all.length}\n`,
    );
    const isGood = right('verdict') === all.length && right('cause') >= LEAST_RIGHT_CAUSES * all.length;
    return Promise.resolve({ status: all.length > 0 && isGood ? 'passed' : 'failed' });
  }
}
