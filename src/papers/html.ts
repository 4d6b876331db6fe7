/** The report as one self-contained page with its own style, script and data. */
import type { Figure } from '../figures/figure.js';
import { VERDICTS, type Verdict } from '../scenario/index.js';
import type { PictureFigures } from '../figures/pictures.js';
import { comparisonSections } from './comparison_html.js';
import { standalonePage } from '../html/document.js';
import { codeText } from '../text/code_text.js';
import { table } from '../html/table.js';
import { html, type Html } from '../html/text.js';
import type { CellReport, Counts, ExperimentReport, MetricReport, Report, Summary } from './report.js';
import { maximumText } from './surface.js';
import { metricName } from './metric_name.js';
import {
  ACROSS,
  bandText,
  CLAIM_OUTCOMES,
  claimNumber,
  claimNumbers,
  claimText,
  failText,
  failureText,
  measuredText,
  missText,
  publishedText,
  REPORT_KEY,
  CURVES_KEY,
  VERDICT_MEANINGS,
  WHISKERS_KEY,
  WIDER,
} from './text.js';
import { counted } from '../text/counted.js';

/** Marks an interval that reaches across an edge of the band. Screen readers read words instead of the mark. */
const ACROSS_MARK = html` <span aria-hidden="true">${ACROSS}</span
  ><span class="visually-hidden">interval across an edge of the band</span>`;

const badge = (verdict: Verdict): Html => html`<span class="verdict ${verdict}">${verdict}</span>`;

function countsList(counts: Counts): Html {
  const items = VERDICTS.map(
    (name) =>
      html`<li class="${name}"><b>${counts[name]}</b> ${name} <span>– ${VERDICT_MEANINGS[name]}</span></li>`,
  );
  return html`<ul class="counts">
    ${items}
  </ul>`;
}

/** Two lists: how many of the papers' statements, and how many of their numbers, have each verdict. */
function summaryLists({ statements, numbers, across_edge: across }: Summary): Html {
  return html`<h2>Statements of the papers, each by its worst number</h2>
    ${countsList(statements)}
    <h2>Numbers</h2>
    ${countsList(numbers)}
    ${across === 0 ? '' : html`<p class="key">${counted(across, 'number')} ${across === 1 ? 'has' : 'have'} a 95 % interval that reaches across an edge of the band (${ACROSS}).</p>`}`;
}

const byVerdict = (counts: Counts): string => VERDICTS.map((name) => counts[name]).join(' / ');

function contents(experiments: readonly ExperimentReport[]): Html {
  const rows = experiments.map(
    ({ id, title, source, summary, claims, cpu_seconds: seconds }) =>
      html`<tr>
        <th scope="row"><a href="#${id}">${id}</a></th>
        <td>${title}</td>
        <td>${source}</td>
        <td class="number">${byVerdict(summary.statements)}</td>
        <td class="number">${byVerdict(summary.numbers)}</td>
        <td class="number">
          ${claims.length === 0 ? '–' : `${claims.filter(({ holds }) => holds === true).length} of ${claims.length}`}
        </td>
        <td class="number">${seconds.toFixed(1)}</td>
      </tr>`,
  );
  const numbers = ['statements', 'numbers', 'claims', 'CPU s'].map((number) => ({ number }));
  return html`<nav aria-label="Experiments">
    ${table({
      caption:
        'Every experiment: statements and numbers (within / ordering / off), claims that hold, CPU time in seconds',
      heads: ['experiment', 'what', 'source', ...numbers],
      groups: [rows],
    })}
  </nav>`;
}

/**
 * The remarks on a number. If the number is outside its band, they explain the difference and the band. If the band is
 * wider than the rule allows, or if the rule does not apply to it, a remark gives the reason.
 */
function remarks(metric: MetricReport): Html {
  const { verdict, why, wider_than_rule: wider } = metric;
  const parts = [
    ...(verdict === 'within' ? [] : [missText(metric), `Band: ${why}`]),
    ...(wider === undefined ? [] : [`${WIDER} ${wider}`]),
  ];
  return html`${parts.map((part) => html`<span class="why">${part}</span>`)}`;
}

function metricRow(
  experiment: ExperimentReport,
  cell: CellReport,
  metric: MetricReport,
  index: number,
): Html {
  const first =
    index === 0
      ? html`<th scope="rowgroup" rowspan="${cell.metrics.length}">
          ${cell.label === '' ? 'all' : cell.label}
        </th>`
      : html``;
  return html`<tr>
    ${first}
    <td>${metricName(metric)}${remarks(metric)}</td>
    <td class="${metric.says === undefined ? 'number' : 'says'}">${publishedText(metric)}</td>
    <td class="number">${measuredText(metric)}</td>
    <td class="number">${bandText(metric)}${metric.wider_than_rule === undefined ? '' : ` ${WIDER}`}</td>
    <td>
      ${badge(metric.verdict)}${metric.across_edge ? ACROSS_MARK : ''} ${claimNumbers(experiment, metric)}
    </td>
    <td>${metric.where} (${metric.read})</td>
  </tr>`;
}

function metricTable(experiment: ExperimentReport): Html {
  const { id, cells } = experiment;
  const groups = cells
    .filter(({ metrics }) => metrics.length > 0)
    .map((cell) => cell.metrics.map((metric, index) => metricRow(experiment, cell, metric, index)));
  if (groups.length === 0) return html``;
  return table({
    caption: 'Published beside measured: mean ± half of its 95 % interval (runs)',
    label: `Numbers of ${id}`,
    heads: [
      'cell',
      'metric',
      { number: 'published' },
      { number: 'measured' },
      { number: 'band' },
      'verdict',
      'where',
    ],
    groups,
  });
}

function otherTable({ id, cells }: ExperimentReport): Html {
  // If the paper gives no numbers, this is the only table of the experiment, so it is expanded.
  const open = cells.every(({ metrics }) => metrics.length === 0);
  const rows = cells.flatMap(({ label, others }) =>
    others.map(
      (one) =>
        html`<tr>
          <td>${label === '' ? 'all' : label}</td>
          <td>${metricName(one)}</td>
          <td class="number">${measuredText(one)}</td>
        </tr>`,
    ),
  );
  if (rows.length === 0) return html``;
  return html`<details${open ? ' open' : ''}>
    <summary>${open ? 'Measured' : 'Also measured'} (${rows.length} numbers that the paper does not give)</summary>
    ${table({
      caption: 'Measured: mean ± half of its 95 % interval (runs)',
      label: `More numbers of ${id}`,
      heads: ['cell', 'metric', { number: 'measured' }],
      groups: [rows],
    })}
  </details>`;
}

const OUTCOME_LOOKS = { true: 'holds', false: 'fails', null: '' } as const;

function claimList({ claims }: ExperimentReport): Html {
  if (claims.length === 0) return html``;
  const items = claims.map((claim, index) => {
    const { says, where, holds } = claim;
    const outcome = `${holds}` as const;
    const tested = holds === null ? '' : ` · ${claimText(claim)}`;
    const why = failText(claim);
    const test = claim.test === '' ? '' : html`<span class="why">Tested: ${claim.test}</span>`;
    return html`<li>
      <b class="${OUTCOME_LOOKS[outcome]}">${CLAIM_OUTCOMES[outcome]}</b> ${claimNumber(index)} ${says}
      (${where})${tested}${test}${why === '' ? '' : html`<span class="why">${why}</span>`}
    </li>`;
  });
  return html`<h3>What the paper states</h3>
    <ul class="claims">
      ${items}
    </ul>`;
}

/** Whether the figure shows the scatter of several runs. */
const hasWhiskers = (figure: Figure): boolean =>
  figure.kind === 'bars' && figure.series.some(({ bars }) => bars.some((bar) => (bar?.n ?? 0) > 1));
const isMap = (figure: Figure): boolean => figure.kind === 'curves' && figure.density !== undefined;

/** Collects the figures for the page's data, and creates elements that refer to a figure by its index. */
class Gallery {
  readonly figures: Figure[] = [];

  picture({ title, columns }: PictureFigures): Html {
    const panel = (figure: Figure): Html =>
      html`<div class="panel">
        <h4>${figure.title}</h4>
        <div
          class="canvas${isMap(figure) ? ' map' : ''}"
          data-figure="${this.figures.push(figure) - 1}"
        ></div>
        ${hasWhiskers(figure) ? html`<p class="why">${WHISKERS_KEY}</p>` : ''}
      </div>`;
    const stacked = columns.some((column) => column.length > 1);
    return html`<figure class="${stacked || columns.length > 1 ? 'wide' : ''}">
      <div class="panels${stacked ? ' stacked' : ''}">
        ${columns.map((column) => html`<div>${column.map(panel)}</div>`)}
      </div>
      ${title === '' ? '' : html`<figcaption>${title}</figcaption>`}
    </figure>`;
  }
}

function textList(title: string, texts: readonly string[]): Html {
  if (texts.length === 0) return html``;
  return html`<h3>${title}</h3>
    <ul>
      ${texts.map((text) => html`<li>${text}</li>`)}
    </ul>`;
}

function section(experiment: ExperimentReport, pictures: readonly PictureFigures[], gallery: Gallery): Html {
  const { id, title, description, source, notes, runs, seed, cpu_seconds: seconds } = experiment;
  const { decided_after_results: decided, surface } = experiment;
  const about = `${source} · ${counted(runs, 'run')} of each cell, seeds from ${seed} · ${seconds.toFixed(1)} s of CPU`;
  return html`<section class="experiment" id="${id}" aria-labelledby="${id}-title">
    <h2 id="${id}-title">${title}</h2>
    <p class="lead"><code>${id}</code> · ${about}</p>
    <p>${description}</p>
    <div class="gallery">${pictures.map((picture) => gallery.picture(picture))}</div>
    ${surface === undefined ? '' : html`<p>The map is ${maximumText(surface)}.</p>`}
    ${metricTable(experiment)} ${otherTable(experiment)} ${claimList(experiment)}
    ${textList('Decided when results were known', decided.length > 0 ? decided : ['Nothing.'])}
    ${textList('Notes', notes)}
  </section>`;
}

const interruption = ({ complete }: Report): Html =>
  complete === false ? html`<p>Interrupted: these are the runs that were made.</p>` : html``;

function failureList({ failures }: Report): Html {
  if (failures.length === 0) return html``;
  return html`<section class="failures">
    <h2>Runs that failed</h2>
    <ul>
      ${failures.map((failure) => html`<li>${failureText(failure)}</li>`)}
    </ul>
  </section>`;
}

/** The HTML page of the report. `pictures` contains the figures of each experiment, by the experiment's id. */
export function reportHtml(report: Report, pictures: ReadonlyMap<string, readonly PictureFigures[]>): string {
  const { experiments, comparison, summary, command, created, cpu_seconds: cpu } = report;
  const gallery = new Gallery();
  const compared = comparisonSections(comparison, (figures) => gallery.picture(figures));
  const sections = experiments.map((experiment) =>
    section(experiment, pictures.get(experiment.id) ?? [], gallery),
  );
  const title = 'Published and measured';
  const runs = [...new Set(experiments.map((experiment) => experiment.runs))].sort((a, b) => a - b);
  const by = command === undefined ? '' : ` · ${command}`;
  const made = `${codeText(report)} · ${created.slice(0, 10)} · ${counted(experiments.length, 'experiment')}, ${runs.join(' or ')} ${runs.join() === '1' ? 'run' : 'runs'} of each cell · ${cpu.toFixed(0)} s of CPU${by}`;
  return standalonePage({
    name: 'papers',
    title,
    meta: made,
    main: html`${summaryLists(summary)} ${interruption(report)} ${failureList(report)}
      ${contents(experiments)}
      <p class="key">${REPORT_KEY} ${CURVES_KEY}</p>
      ${compared} ${sections}`,
    data: { id: 'figures', value: gallery.figures },
  });
}
