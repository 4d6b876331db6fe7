/**
 * Counts the causes that incidents.test.ts provoked and the causes that the log named, and prints the confusion
 * matrix. With enough causes it also updates the guide. A failed test has measured nothing: its call was not
 * established, or other virtual machines took processor time away. A failed test makes the whole run fail.
 */
import { fileURLToPath } from 'node:url';

import type { FullResult, Reporter, TestCase, TestResult } from '@playwright/test/reporter';

import { writeMeasured } from '../../scripts/lib/measured.mjs';
import { aligned } from '../../src/text/terminal.js';

/** The minimum fraction of named causes that must be right. */
const LEAST_RIGHT = 0.95;
/** With fewer causes than this, the guide is not updated. */
const LEAST_TOLD = 120;
const DOCUMENT = fileURLToPath(new URL('../../src/watch/accuracy.md', import.meta.url));

interface Told {
  side: string;
  /** Whether the named cause is one of the correct causes. `expected` is the first of the correct causes. */
  right: boolean;
  expected: string;
  said: string;
  kind?: string;
  evidence?: string;
  /** Set if the result is wrong: the data that the log had around the provocation (see seen_around.ts). */
  seen?: string[];
}

interface Attempt {
  hasPassed: boolean;
  told: Told[];
  /** Incidents before the provocation, as `kind: cause`. */
  before: string[];
}

function attemptOf({ annotations, status }: TestResult): Attempt {
  const said = (type: string): string[] =>
    annotations.filter((each) => each.type === type).map(({ description = '' }) => description);
  return {
    hasPassed: status === 'passed',
    told: said('incident').map((text) => JSON.parse(text) as Told),
    before: said('before').map((text) => {
      const { kind, cause } = JSON.parse(text) as { kind: string; cause: string };
      return `${kind}: ${cause}`;
    }),
  };
}

/** The confusion matrix: how often each provoked cause (row) was named as each cause (column). */
function matrix(told: readonly Told[]): { head: string[]; rows: string[][] } {
  const expected = [...new Set(told.map((each) => each.expected))].sort();
  const said = [...new Set(told.map((each) => each.said))].sort();
  const count = (row: string, column: string): string => {
    const number = told.filter((each) => each.expected === row && each.said === column).length;
    return number === 0 ? '' : String(number);
  };
  return { head: said, rows: expected.map((row) => [row, ...said.map((column) => count(row, column))]) };
}

/** Counts how often each name occurs, the most frequent first: `rate-fall: overuse 3, freeze: outage 1`. */
function countsOf(names: readonly string[]): string {
  const counts = new Map<string, number>();
  for (const name of names) counts.set(name, (counts.get(name) ?? 0) + 1);
  const sorted = [...counts].sort(([, a], [, b]) => b - a);
  return sorted.length === 0 ? 'none' : sorted.map(([name, count]) => `${name} ${count}`).join(', ');
}

export default class IncidentsReport implements Reporter {
  readonly #last = new Map<string, Attempt>();

  onTestEnd(test: TestCase, result: TestResult): void {
    const attempt = attemptOf(result);
    this.#last.set(test.id, attempt);
    const words = attempt.told.map(({ side, right, said, kind, evidence }) =>
      right ? `${side} ✓ ${said}` : `${side} ✗ ${said} (${kind ?? 'no incident'}): ${evidence ?? ''}`,
    );
    const title = test.title.replace(' @incidents', '');
    process.stdout.write(`${title} [${result.status}] ${words.join('; ')}\n`);
    const seen = attempt.told.flatMap((each) => each.seen ?? []);
    process.stdout.write(seen.map((line) => `    ${line}\n`).join(''));
  }

  async onEnd(): Promise<{ status: FullResult['status'] }> {
    const all = [...this.#last.values()];
    const measured = all.filter(({ hasPassed }) => hasPassed);
    const failed = all.length - measured.length;
    const told = measured.flatMap((each) => each.told);
    const right = told.filter((each) => each.right).length;
    const { head, rows } = matrix(told);
    process.stdout.write(`\nprovoked (rows) and told (columns):\n`);
    process.stdout.write(`${aligned([['', ...head], ...rows]).join('\n')}\n`);
    const before = countsOf(measured.flatMap((each) => each.before));
    const facts = `right causes ${right} of ${told.length}; incidents before anything was provoked in ${measured.length} calls: ${before}; tests that failed: ${failed}`;
    process.stdout.write(`${facts}\n`);
    if (told.length >= LEAST_TOLD)
      await writeMeasured(DOCUMENT, 'causes', { facts: `${facts}.`, head: ['provoked', ...head], rows });
    const isGood = told.length > 0 && failed === 0 && right >= LEAST_RIGHT * told.length;
    return { status: isGood ? 'passed' : 'failed' };
  }
}
