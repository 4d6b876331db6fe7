/** The comparisons of controllers in the text report. */
import { byAxis, caseName, columnTitles, MARKS, MARKS_MEAN, valueIn, type CaseReport } from './comparison.js';
import { aligned } from '../text/terminal.js';
import { comparedText } from './text.js';

/** A table for each case. The tables of an axis have the same columns. Empty if there are no cases. */
export function comparisonLines(cases: readonly CaseReport[]): string[] {
  return byAxis(cases).flatMap(({ along, cases: own }) => {
    const titles = columnTitles(own);
    const tables = own.map((one) => ({ one, rows: one.rows.map((row) => cells(one, row, titles)) }));
    const lines = aligned(tables.flatMap(({ one, rows }) => [[caseName(one), ...titles], ...rows]));
    return [`Compared by ${along}: mean ± half of its 95 % interval; ${MARKS_MEAN}`, ...lines, ''];
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
