/**
 * A table of all calls at the end of a run: `reporter: [['list'], ['ccscope/playwright/reporter']]`.
 * It reads the annotations `ccscope.*` that the kit puts on each test, so it also works in
 * `npx playwright merge-reports` after a sharded run.
 */
import { appendFileSync } from 'node:fs';

import type { Reporter, TestCase, TestResult } from '@playwright/test/reporter';

import { PROPERTY } from './property.js';

export interface SummaryOptions {
  /** A file that the table is added to in Markdown, such as what GITHUB_STEP_SUMMARY names. */
  markdownFile?: string;
}

/** The properties of one call, by their names without `ccscope.`. */
type Properties = ReadonlyMap<string, string>;

const RUN = /^(run-\d+)\.(.+)$/;

/** The calls of a test: one, or one for each run of `repeat`. */
function callsOf(annotations: readonly { type: string; description?: string }[]): Map<string, Properties> {
  const calls = new Map<string, Map<string, string>>();
  for (const { type, description = '' } of annotations) {
    if (!type.startsWith(PROPERTY)) continue;
    const name = type.slice(PROPERTY.length);
    const [, run = '', property = name] = RUN.exec(name) ?? [];
    const call = calls.get(run) ?? new Map<string, string>();
    calls.set(run, call.set(property, description));
  }
  return calls;
}

const percent = (ratio: string | undefined): string =>
  ratio === undefined ? '–' : `${Number((Number(ratio) * 100).toPrecision(3))} %`;
const milliseconds = (value: string | undefined): string =>
  value === undefined ? '–' : `${Math.round(Number(value))}`;

function freezes(call: Properties): string {
  const count = call.get('freezes');
  if (count === undefined || count === '0') return count ?? '–';
  return `${count} (${(Number(call.get('longest_freeze_ms')) / 1e3).toFixed(1)} s)`;
}

const COLUMNS: readonly { head: string; cell: (call: Properties) => string; number: boolean }[] = [
  { head: 'network', cell: (call) => call.get('network') ?? '–', number: false },
  { head: 'used', cell: (call) => percent(call.get('utilisation')), number: true },
  { head: 'queue p50 ms', cell: (call) => milliseconds(call.get('queue_delay_p50_ms')), number: true },
  { head: 'p95 ms', cell: (call) => milliseconds(call.get('queue_delay_p95_ms')), number: true },
  { head: 'loss', cell: (call) => percent(call.get('loss_ratio')), number: true },
  { head: 'freezes', cell: freezes, number: true },
  { head: 'to 90 % s', cell: (call) => call.get('time_to_90pct_s') ?? '–', number: true },
  { head: 'expected', cell: (call) => call.get('expectations') ?? '–', number: true },
  { head: 'backend', cell: (call) => call.get('backend') ?? '–', number: false },
];

/** Tests and networks are as long as people like; a table is not. */
const LONGEST_CELL = 48;
const short = (text: string): string =>
  text.length <= LONGEST_CELL ? text : `${text.slice(0, LONGEST_CELL - 1)}…`;

export default class CallSummary implements Reporter {
  readonly #rows: string[][] = [];
  readonly #options: SummaryOptions;

  constructor(options: SummaryOptions = {}) {
    this.#options = options;
  }

  onTestEnd(test: TestCase, result: TestResult): void {
    // Before Playwright 1.52 a result has none of its own.
    const annotations = (result as Partial<TestResult>).annotations ?? test.annotations;
    for (const [run, call] of callsOf(annotations)) {
      const [, , , ...titles] = test.titlePath();
      const again = result.retry > 0 ? ` (retry ${result.retry})` : '';
      const title = `${titles.join(' › ')}${run === '' ? '' : ` ${run}`}${again}`;
      const verdict = result.status === test.expectedStatus ? '✓' : '✗';
      this.#rows.push([verdict, title, ...COLUMNS.map(({ cell }) => cell(call))]);
    }
  }

  onEnd(): void {
    if (this.#rows.length === 0) return;
    process.stdout.write(`\n${this.#text()}\n`);
    const { markdownFile } = this.#options;
    if (markdownFile !== undefined && markdownFile !== '') appendFileSync(markdownFile, this.#markdown());
  }

  /** Another reporter says how the tests go. */
  printsToStdio(): boolean {
    return false;
  }

  get #heads(): string[] {
    return ['', 'call', ...COLUMNS.map(({ head }) => head)];
  }

  #text(): string {
    const table = [this.#heads, ...this.#rows].map((row) => row.map(short));
    const widths = this.#heads.map((_, i) => Math.max(...table.map((row) => row[i]?.length ?? 0)));
    const line = (row: readonly string[]): string =>
      row
        .map((cell, i) =>
          COLUMNS[i - 2]?.number === true ? cell.padStart(widths[i] ?? 0) : cell.padEnd(widths[i] ?? 0),
        )
        .join('  ')
        .trimEnd();
    return ['Calls under test', ...table.map((row) => `  ${line(row)}`)].join('\n');
  }

  #markdown(): string {
    const line = (row: readonly string[]): string =>
      `| ${row.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |\n`;
    const rule = ['', '', ...COLUMNS.map(({ number }) => (number ? '-:' : '-'))].map((cell) => cell || '-');
    return `\n### Calls under test\n\n${[this.#heads, rule, ...this.#rows].map(line).join('')}\n`;
  }
}
