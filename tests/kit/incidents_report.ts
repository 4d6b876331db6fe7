/**
 * Counts the causes that incidents.test.ts provoked and was told, and prints the confusion matrix; of enough of them it
 * goes into the guide, too.
 */
import { fileURLToPath } from 'node:url';

import type { FullResult, Reporter, TestCase, TestResult } from '@playwright/test/reporter';

import { writeMeasured } from '../../scripts/lib/measured.mjs';
import { aligned } from '../../src/text/terminal.js';

/** The share of causes that must be right. */
const LEAST_RIGHT = 0.95;
/** Fewer are no measurement. */
const LEAST_TOLD = 120;
const DOCUMENT = fileURLToPath(new URL('../../src/watch/accuracy.md', import.meta.url));

interface Told {
  side: string;
  right: boolean;
  expected: string;
  said: string;
  kind?: string;
  evidence?: string;
}

export default class IncidentsReport implements Reporter {
  readonly #last = new Map<string, { title: string; told: Told[]; before: number }>();

  onTestEnd(test: TestCase, { annotations, status }: TestResult): void {
    const said = (type: string): string[] =>
      annotations.filter((each) => each.type === type).map(({ description = '' }) => description);
    const told = said('incident').map((text) => JSON.parse(text) as Told);
    const before = said('before').reduce((sum, text) => sum + Number(text), 0);
    this.#last.set(test.id, { title: test.title, told, before });
    const words = told.map(({ side, right, said: what, kind, evidence }) =>
      right ? `${side} ✓` : `${side} ✗ ${what} (${kind ?? 'no incident'}): ${evidence ?? ''}`,
    );
    process.stdout.write(`${test.title.replace(' @incidents', '')} [${status}] ${words.join('; ')}\n`);
  }

  async onEnd(): Promise<{ status: FullResult['status'] }> {
    const all = [...this.#last.values()];
    const told = all.flatMap((each) => each.told);
    const right = told.filter((each) => each.right).length;
    const expected = [...new Set(told.map((each) => each.expected))].sort();
    const said = [...new Set(told.map((each) => each.said))].sort();
    const count = (row: string, column: string): string => {
      const number = told.filter((each) => each.expected === row && each.said === column).length;
      return number === 0 ? '' : String(number);
    };
    const rows = expected.map((row) => [row, ...said.map((column) => count(row, column))]);
    process.stdout.write(`\nprovoked (rows) and told (columns):\n`);
    process.stdout.write(`${aligned([['', ...said], ...rows]).join('\n')}\n`);
    const before = all.reduce((sum, each) => sum + each.before, 0);
    const facts = `right causes ${right} of ${told.length}; incidents before anything was provoked: ${before} in ${all.length} calls`;
    process.stdout.write(`${facts}\n`);
    if (told.length >= LEAST_TOLD)
      await writeMeasured(DOCUMENT, 'causes', { facts: `${facts}.`, head: ['provoked', ...said], rows });
    const isGood = told.length > 0 && right >= LEAST_RIGHT * told.length;
    return { status: isGood ? 'passed' : 'failed' };
  }
}
