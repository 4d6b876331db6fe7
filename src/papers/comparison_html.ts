/** The comparisons of controllers in the HTML report: tables and bar charts. */
import type { PictureFigures } from '../figures/pictures.js';
import {
  byAxis,
  columnTitles,
  comparisonFigures,
  MARKS,
  valueIn,
  type CaseReport,
  type ComparedValueReport,
} from './comparison.js';
import { table } from '../html/table.js';
import { html, type Html } from '../html/text.js';
import { comparedText } from './text.js';

const SPOKEN = { best: 'best', close: 'interval overlaps the best', none: '' } as const;

/**
 * A cell with the value and, in front of it, the symbol of its standing. Screen readers read words instead of the
 * symbol.
 */
function valueCell(name: string, runs: number, value: ComparedValueReport | undefined): Html {
  if (value === undefined) return html`<td class="number">–</td>`;
  const { measured, standing } = value;
  const mark =
    standing === 'none'
      ? html``
      : html`<span class="mark" aria-hidden="true">${MARKS[standing]}</span
          ><span class="visually-hidden">${SPOKEN[standing]}: </span>`;
  return html`<td class="number ${standing}">${mark}${comparedText(name, measured, runs)}</td>`;
}

function caseRows(one: CaseReport, titles: readonly string[]): Html[] {
  const { experiment, label, rows, columns, runs } = one;
  const nameOf = (title: string): string => columns.find((each) => each.title === title)?.name ?? '';
  return rows.map(
    (row, index) =>
      html`<tr>
        ${
          index > 0
            ? html``
            : html`<th scope="rowgroup" rowspan="${rows.length}">
                <a href="#${experiment}">${experiment}</a>${label === '' ? '' : html`<br />${label}`}
              </th>`
        }
        <th scope="row">${row.label}</th>
        ${titles.map((title) => valueCell(nameOf(title), runs, valueIn(one, row, title)))}
      </tr>`,
  );
}

function comparisonTable(along: string, cases: readonly CaseReport[]): Html {
  const titles = columnTitles(cases);
  return table({
    caption: html`Mean ± half of its 95 % interval over the runs. <b>★</b> the best mean; <b>≈</b> its
      interval overlaps that of the best`,
    label: `Compared by ${along}`,
    look: 'compared',
    heads: ['case', along, ...titles.map((title) => ({ number: title }))],
    groups: cases.map((one) => caseRows(one, titles)),
  });
}

/** A section for each compared axis; empty if no experiment compares controllers. */
export function comparisonSections(
  cases: readonly CaseReport[],
  picture: (figures: PictureFigures) => Html,
): Html[] {
  return byAxis(cases).map(({ along, cases: own }) => {
    const names = own[0]?.rows.map(({ label }) => label).join(', ') ?? '';
    const where = [...new Set(own.map(({ experiment }) => experiment))].join(', ');
    return html`<section class="experiment" id="compared-${along}" aria-labelledby="compared-${along}-title">
      <h2 id="compared-${along}-title">${names} beside each other</h2>
      <p class="lead">${where}</p>
      ${comparisonTable(along, own)}
      <div class="gallery">
        ${comparisonFigures(own).map((figure) => picture({ title: '', columns: [[figure]] }))}
      </div>
    </section>`;
  });
}
