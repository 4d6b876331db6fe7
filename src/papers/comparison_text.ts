/** Controllers beside each other, on a terminal. */
import { byAxis, caseName, columnTitles, MARKS, MARKS_MEAN, valueIn, type CaseReport } from './comparison.js';
import { comparedText } from './text.js';

/** A table for each case, all with the same columns; nothing without a case. */
export function comparisonLines(cases: readonly CaseReport[]): string[] {
  return byAxis(cases).flatMap(({ along, cases: own }) => {
    const titles = columnTitles(own);
    const tables = own.map((one) => ({ one, rows: one.rows.map((row) => cells(one, row, titles)) }));
    const all = tables.flatMap(({ one, rows }) => [[caseName(one), ...titles], ...rows]);
    const widths = all[0]?.map((_, i) => Math.max(...all.map((row) => row[i]?.length ?? 0))) ?? [];
    const line = (row: readonly string[]): string =>
      row
        .map((text, i) => (i === 0 ? text.padEnd(widths[i] ?? 0) : text.padStart(widths[i] ?? 0)))
        .join('  ')
        .trimEnd();
    return [
      `Compared by ${along}: mean ± half of its 95 % interval; ${MARKS_MEAN}`,
      ...tables.flatMap(({ one, rows }) => [line([caseName(one), ...titles]), ...rows.map(line)]),
      '',
    ];
  });
}

function cells(one: CaseReport, row: CaseReport['rows'][number], titles: readonly string[]): string[] {
  const texts = titles.map((title) => {
    const value = valueIn(one, row, title);
    const name = one.columns.find((each) => each.title === title)?.name ?? '';
    if (value === undefined) return '';
    return `${comparedText(name, value.measured, one.runs)} ${MARKS[value.standing] || ' '}`;
  });
  return [`  ${row.label}`, ...texts];
}
