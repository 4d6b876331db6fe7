/** Tables and charts that compare controllers side by side. */
import {
  byAxis,
  columnTitles,
  comparisonFigures,
  MARKS,
  MARKS_MEAN,
  valueIn,
  type CaseReport,
  type ComparedValueReport,
} from '../../../papers/comparison.js';
import { comparedText } from '../../../papers/text.js';
import { NOTHING } from '../numbers.js';
import { useMemo } from 'preact/hooks';
import { Gallery } from './gallery.js';
import { PapersLink } from './papers_link.js';

const SPOKEN = { best: 'best', close: 'interval overlaps the best', none: '' } as const;

function ValueCell({ one, title, value }: { one: CaseReport; title: string; value?: ComparedValueReport }) {
  if (value === undefined) return <td class="number">{NOTHING}</td>;
  const { measured, standing } = value;
  const name = one.columns.find((column) => column.title === title)?.name ?? '';
  return (
    <td class={`number ${standing}`}>
      {standing !== 'none' && (
        <>
          <span aria-hidden="true">{MARKS[standing]} </span>
          <span class="visually-hidden">{SPOKEN[standing]}: </span>
        </>
      )}
      {comparedText(name, measured, one.runs)}
    </td>
  );
}

function CaseRows({ one, titles }: { one: CaseReport; titles: readonly string[] }) {
  const { experiment, label, rows } = one;
  return (
    <tbody>
      {rows.map((row, index) => (
        <tr key={row.name}>
          {index === 0 && (
            <th scope="rowgroup" rowSpan={rows.length}>
              <PapersLink to={{ scenario: experiment }}>{experiment}</PapersLink> {label}
            </th>
          )}
          <th scope="row">{row.label}</th>
          {titles.map((title) => {
            const value = valueIn(one, row, title);
            return (
              <ValueCell key={title} one={one} title={title} {...(value === undefined ? {} : { value })} />
            );
          })}
        </tr>
      ))}
    </tbody>
  );
}

function AxisComparison({ along, cases }: { along: string; cases: readonly CaseReport[] }) {
  const titles = columnTitles(cases);
  const names = cases[0]?.rows.map(({ label }) => label).join(', ') ?? '';
  const pictures = useMemo(
    () => comparisonFigures(cases).map((figure) => ({ title: '', columns: [[figure]] })),
    [cases],
  );
  return (
    <section class="experiment" aria-labelledby={`compared-${along}`}>
      <h2 id={`compared-${along}`}>{names} beside each other</h2>
      <div class="scroll" role="region" aria-label={`Compared by ${along}`} tabIndex={0}>
        <table>
          <caption>Mean ± half of its 95 % interval over the runs. {MARKS_MEAN}</caption>
          <thead>
            <tr>
              <th scope="col">case</th>
              <th scope="col">{along}</th>
              {titles.map((title) => (
                <th key={title} scope="col" class="number">
                  {title}
                </th>
              ))}
            </tr>
          </thead>
          {cases.map((one) => (
            <CaseRows key={`${one.experiment} ${one.label}`} one={one} titles={titles} />
          ))}
        </table>
      </div>
      <Gallery pictures={pictures} />
    </section>
  );
}

/** One section for each axis along which controllers are compared. */
export function Comparison({ cases }: { cases: readonly CaseReport[] }) {
  return (
    <>
      {byAxis(cases).map(({ along, cases: own }) => (
        <AxisComparison key={along} along={along} cases={own} />
      ))}
    </>
  );
}
