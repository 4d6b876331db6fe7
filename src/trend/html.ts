/** A trend as one self-contained page: a chart for each metric, and a table of all values. */
import { standalonePage } from '../html/document.js';
import { table } from '../html/table.js';
import { html, type Html } from '../html/text.js';
import { PROPERTIES } from '../evidence/properties.js';
import { lineChart } from './chart.js';
import { ageText, changeText, groupTitle, knownText, markText, medianText, runText } from './text.js';
import type { TrendGroup, TrendLine, TrendReport } from './trend.js';
import { counted } from '../text/counted.js';

const LOOKS = { better: 'within', worse: 'off' } as const;

function remarks(line: TrendLine): Html {
  const { outside } = line;
  const mark =
    outside === null ? html`` : html`<span class="verdict ${LOOKS[outside]}">${markText(line)}</span>`;
  return html`${mark} ${ageText(line)}`;
}

function chart(line: TrendLine, runs: TrendReport['runs'], id: string): Html {
  const { metric, latest, earlier, change_ratio: change } = line;
  const differs = change === null ? '' : ` (${changeText(line)})`;
  const before = earlier === null ? '' : `, median before ${medianText(line)}${differs}`;
  return html`<figure>
    ${lineChart(line, runs, id)}
    <figcaption>
      ${PROPERTIES[metric].title}: ${knownText(metric, latest)}${before} ${remarks(line)}
    </figcaption>
  </figure>`;
}

function runTable({ lines }: TrendGroup, runs: TrendReport['runs'], title: string): Html {
  const numbers = lines.map(({ metric }) => ({ number: PROPERTIES[metric].title }));
  const rows = runs.map(
    ({ created, commit, outcome }, i) =>
      html`<tr>
        <th scope="row">${created.slice(0, 16).replace('T', ' ')}</th>
        <td>${commit === null ? '–' : commit.slice(0, 8)}</td>
        <td>${outcome}</td>
        ${lines.map((line) => html`<td class="number">${runText(line, i)}</td>`)}
      </tr>`,
  );
  return table({
    caption: 'Each run, the oldest first; times in UTC',
    label: `Numbers of ${title}`,
    heads: ['run', 'commit', 'outcome', ...numbers],
    groups: [rows],
  });
}

/** The page. */
export function trendHtml({ runs, groups, ccscope, created }: TrendReport): string {
  const sections = groups.map((group, i) => {
    const title = groupTitle(group, groups);
    return html`<section class="experiment" aria-labelledby="group-${i}">
      <h2 id="group-${i}">${title}</h2>
      <p class="lead">${group.network}</p>
      <div class="gallery trends">${group.lines.map((line, j) => chart(line, runs, `chart-${i}-${j}`))}</div>
      ${runTable(group, runs, title)}
    </section>`;
  });
  return standalonePage({
    name: 'papers',
    title: 'Calls over runs of their tests',
    meta: `ccscope ${ccscope} · ${created.slice(0, 10)} · ${counted(runs.length, 'run')}`,
    main: html`<p class="key">
        A point is a run, the oldest on the left; shaded is the range of the runs before the latest. A point
        at the upper edge without a line is a time that was never reached.
      </p>
      ${sections}`,
    data: { id: 'figures', value: [] },
  });
}
