/** The table of all calls of a run, as text and in Markdown. */
import type { TestResult } from '@playwright/test/reporter';

import type { Properties, TestedCall } from './calls.js';

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

/** Longer cells are cut in the text table, since names of tests and networks can have any length. */
const LONGEST_CELL = 48;
const short = (text: string): string =>
  text.length <= LONGEST_CELL ? text : `${text.slice(0, LONGEST_CELL - 1)}…`;

const HEADS = ['', 'call', ...COLUMNS.map(({ head }) => head)];

/** The table row of a call. Its first cell shows whether this attempt at the test had the expected result. */
export function summaryRow({ test, title, properties }: TestedCall, { status, retry }: TestResult): string[] {
  const again = retry > 0 ? ` (retry ${retry})` : '';
  const verdict = status === test.expectedStatus ? '✓' : '✗';
  return [verdict, `${title}${again}`, ...COLUMNS.map(({ cell }) => cell(properties))];
}

export function summaryText(rows: readonly (readonly string[])[]): string {
  const table = [HEADS, ...rows].map((row) => row.map(short));
  const widths = HEADS.map((_, i) => Math.max(...table.map((row) => row[i]?.length ?? 0)));
  const line = (row: readonly string[]): string =>
    row
      .map((cell, i) =>
        COLUMNS[i - 2]?.number === true ? cell.padStart(widths[i] ?? 0) : cell.padEnd(widths[i] ?? 0),
      )
      .join('  ')
      .trimEnd();
  return ['Calls under test', ...table.map((row) => `  ${line(row)}`)].join('\n');
}

export function summaryMarkdown(rows: readonly (readonly string[])[]): string {
  const rule = ['', '', ...COLUMNS.map(({ number }) => (number ? '-:' : '-'))].map((cell) => cell || '-');
  return `\n### Calls under test\n\n${markdownRows([HEADS, rule, ...rows])}\n`;
}

/** The rows of a table in Markdown, each with a line ending. */
export const markdownRows = (rows: readonly (readonly string[])[]): string =>
  rows.map((row) => `| ${row.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |\n`).join('');
