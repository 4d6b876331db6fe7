/** The report on a matrix as one self-contained HTML page. */
import type { Bar, BarFigure, Figure } from '../../figures/figure.js';
import type { RunReport } from '../call/types.js';
import { standalonePage } from '../../html/document.js';
import { table } from '../../html/table.js';
import { html, type Html } from '../../html/text.js';
import type { Compared } from './form.js';
import type { MatrixReport } from './report.js';
import {
  differenceText,
  faultyRuns,
  HOLDS,
  METRICS,
  QUANTITIES,
  setText,
  targetText,
  valueText,
} from './text.js';
import type { CellReport, VerdictReport } from './verdicts.js';

/** The charts. Each has a group of bars for each link, and each group has a bar for each controller. */
const PICTURES: readonly {
  metric: Compared;
  title: string;
  unit: string;
  of: (run: RunReport) => number | null;
}[] = [
  { metric: 'utilisation', title: 'Rate over capacity', unit: '', of: (run) => run.utilisation },
  {
    metric: 'queue_delay_p95_ms',
    title: 'Queuing delay, p95',
    unit: 'ms',
    of: (run) => run.queue_delay_ms.p95,
  },
  { metric: 'drops', title: 'Drops', unit: 'packets', of: (run) => run.drops },
  {
    metric: 'time_to_90pct_s',
    title: 'Start: 90 % of the capacity after',
    unit: 's',
    of: (run) => run.time_to_90pct_s,
  },
];

function barOf(values: readonly number[]): Bar | null {
  if (values.length === 0) return null;
  const mean = values.reduce((sum, value) => sum + value, 0) / values.length;
  const variance = values.reduce((sum, value) => sum + (value - mean) ** 2, 0) / values.length;
  return { mean, sd: Math.sqrt(variance) };
}

const unique = <T>(values: readonly T[]): T[] => [...new Set(values)];

/** A section of the page: the cells that have the same source and whose links are in the same set. */
interface Chapter {
  title: string;
  cells: readonly CellReport[];
}

function chaptersOf(cells: readonly CellReport[]): Chapter[] {
  const sets = unique(cells.map(({ set }) => set));
  return unique(cells.map(({ source }) => source)).flatMap((source) =>
    sets.flatMap((set): Chapter[] => {
      const own = cells.filter((cell) => cell.source === source && cell.set === set);
      const title = set === null ? source : `${source}, ${setText(set)}`;
      return own.length === 0 ? [] : [{ title, cells: own }];
    }),
  );
}

function figuresOf({ cells }: Chapter): BarFigure[] {
  const links = unique(cells.map(({ link }) => link));
  const controllers = unique(cells.map(({ controller }) => controller));
  return PICTURES.map(({ title, unit, of }) => ({
    kind: 'bars',
    title,
    x: 'link',
    y: { label: title, unit, min: 0 },
    groups: links,
    series: controllers.map((label) => ({
      label,
      bars: links.map((link) => {
        const cell = cells.find((each) => each.link === link && each.controller === label);
        return barOf((cell?.report.runs ?? []).flatMap((run) => of(run) ?? []));
      }),
    })),
  }));
}

const LOOKS = { true: 'within', false: 'off', null: 'ordering' } as const;
const badge = ({ holds }: VerdictReport): Html =>
  html`<span class="verdict ${LOOKS[`${holds}`]}">${HOLDS[`${holds}`]}</span>`;

const NUMBER_HEADS = METRICS.map((metric) => ({
  number: `${QUANTITIES[metric].name}${QUANTITIES[metric].unit}`,
}));

function cellRow(report: MatrixReport, cell: CellReport, index: number, rows: number): Html {
  const comparison = report.comparisons.find(
    ({ link, source, controller }) =>
      link === cell.link && source === cell.source && controller === cell.controller,
  );
  const { runs, set_aside: aside, overloaded_runs: overloaded, summary } = cell.report;
  const values = METRICS.map((metric) => {
    const text = valueText(metric, summary[metric].median);
    const difference = comparison && ` (${differenceText(metric, comparison.differences[metric])})`;
    return html`<td class="number">${text}${difference ?? ''}</td>`;
  });
  const failed = (comparison?.verdicts ?? []).filter(({ holds }) => holds !== true);
  const verdicts =
    comparison === undefined || comparison.verdicts.length === 0
      ? '–'
      : failed.length === 0
        ? html`<span class="verdict within">all hold</span>`
        : failed.map((one) => html`${badge(one)} ${targetText(one)} `);
  const faulty = faultyRuns(cell);
  const marked = [
    overloaded > 0 ? ` (${overloaded} on an overloaded machine)` : '',
    aside.length > 0 ? ` (${aside.length} more on an overloaded machine set aside, in no median)` : '',
    faulty > 0 ? ` (${faulty} in which the controller failed)` : '',
  ].join('');
  return html`<tr>
    ${index === 0 ? html`<th scope="rowgroup" rowspan="${rows}">${cell.link}</th>` : ''}
    <td>${cell.controller}</td>
    ${values}
    <td class="number">${runs.length}${marked}</td>
    <td>${verdicts}</td>
  </tr>`;
}

function cellTable(report: MatrixReport, { title, cells }: Chapter): Html {
  const groups = unique(cells.map(({ link }) => link)).map((link) => {
    const own = cells.filter((cell) => cell.link === link);
    return own.map((cell, i) => cellRow(report, cell, i, own.length));
  });
  const beside = report.baseline === null ? '' : `; in brackets: less the median of ${report.baseline}`;
  return table({
    caption: `Medians over the runs${beside}`,
    label: `Numbers of ${title}`,
    heads: ['link', 'controller', ...NUMBER_HEADS, { number: 'runs' }, 'targets'],
    groups,
  });
}

function overTable({ over_links: over }: MatrixReport): Html {
  if (over.length === 0) return html``;
  const rows = over.map(
    ({ controller, against, set, cells, differences, holding, verdicts }) =>
      html`<tr>
        <th scope="row">${controller} beside ${against}</th>
        <td>${setText(set)}</td>
        <td class="number">${cells}</td>
        ${METRICS.map((metric) => html`<td class="number">${differenceText(metric, differences[metric])}</td>`)}
        <td>
          ${verdicts.map((one) => html`${badge(one)} ${targetText(one)}<br />`)}
          ${holding.map((one) => html`${targetText(one)}: ${one.holds_in} of ${cells}<br />`)}
        </td>
      </tr>`,
  );
  return html`<section aria-labelledby="over-links">
    <h2 id="over-links">Over the links</h2>
    ${table({
      caption: 'Medians over the cells of the differences between medians',
      label: 'Differences over the links',
      heads: ['controller', 'links', { number: 'cells' }, ...NUMBER_HEADS, 'targets'],
      groups: [rows],
    })}
  </section>`;
}

function remarks({ notes, failures, complete }: MatrixReport): Html {
  const lines = [...notes, ...(complete ? [] : ['Interrupted: these are the runs that were made.'])];
  const failed = failures.map(
    ({ link, source, controller, run, error }) => `${link}, ${source}: ${controller}, run ${run}: ${error}`,
  );
  return html`${lines.map((line) => html`<p>${line}</p>`)}
  ${
    failed.length === 0
      ? ''
      : html`<section class="failures">
          <h2>Runs that failed</h2>
          <ul>
            ${failed.map((line) => html`<li>${line}</li>`)}
          </ul>
        </section>`
  }`;
}

export function matrixHtml(report: MatrixReport): string {
  const figures: Figure[] = [];
  const panel = (figure: Figure): Html =>
    html`<figure class="wide">
      <div class="panels">
        <div>
          <div class="panel">
            <h4>${figure.title}</h4>
            <div class="canvas" data-figure="${figures.push(figure) - 1}"></div>
          </div>
        </div>
      </div>
    </figure>`;
  const sections = chaptersOf(report.cells).map(
    (chapter, i) =>
      html`<section class="experiment" aria-labelledby="chapter-${i}">
        <h2 id="chapter-${i}">${chapter.title}</h2>
        <div class="gallery">${figuresOf(chapter).map(panel)}</div>
        ${cellTable(report, chapter)}
      </section>`,
  );
  const { title, description, ccscope, created, runs, duration_s, twin, machine } = report;
  const how = twin === true ? `simulated (twin, machine ${machine ?? 'idle'})` : 'real calls';
  return standalonePage({
    name: 'papers',
    title,
    meta: `ccscope ${ccscope} · ${created.slice(0, 10)} · ${how} · ${runs} runs of ${duration_s} s in each cell`,
    main: html`${description === null ? '' : html`<p>${description}</p>`} ${remarks(report)}
      ${overTable(report)}
      <p class="key">
        Bars are means over the runs, their whiskers one standard deviation; a run that never reached 90 % of
        the capacity is in no bar of the start.
      </p>
      ${sections}`,
    data: { id: 'figures', value: figures },
  });
}
