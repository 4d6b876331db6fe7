/**
 * The table of published and measured numbers, with verdicts and reasons. Before the first run, it contains only the
 * published numbers.
 */
import { useSignal } from '@preact/signals';

import { LazyDetails } from '../../ui/lazy_details.js';
import { metricName } from '../../../papers/metric_name.js';
import {
  ACROSS,
  ACROSS_MEANING,
  bandText,
  claimNumbers,
  measuredText,
  missText,
  publishedText,
  TRIED,
  WIDER,
} from '../../../papers/text.js';
import { DocsLink } from '../../ui/docs_link.js';
import type { CellReport, ExperimentReport, MetricReport } from '../../../papers/report.js';
import { cellsShown, isMeasured, labLink, NOTHING, sourceOf } from '../numbers.js';
import { settings } from '../settings.js';
import { VerdictBadge } from './verdicts.js';

/** Why a number is outside its band. If the text names the guide TRIED, the name is a link. */
export function MissText({ text }: { text: string }) {
  const [before = '', after] = text.split(TRIED);
  if (after === undefined) return <>{text}</>;
  return (
    <>
      {before}
      <DocsLink to="src/papers/mechanisms.html" isInNewTab isText>
        {TRIED}
      </DocsLink>
      {after}
    </>
  );
}

interface RowProps {
  experiment: ExperimentReport;
  cell: CellReport;
  metric: MetricReport;
  index: number;
  isComplete: boolean;
}

function Row({ experiment, cell, metric, index, isComplete }: RowProps) {
  const isKnown = isMeasured(metric);
  const isJudged = isKnown || isComplete;
  const miss = isJudged ? missText(metric) : '';
  return (
    <tr>
      {index === 0 && (
        <th scope="rowgroup" rowSpan={cell.metrics.length}>
          <a
            href={labLink(experiment.id, settings.value.theme, cell.params)}
            title="Open this cell in the Lab"
          >
            {cell.label === '' ? 'all' : cell.label}
          </a>
        </th>
      )}
      <td class="what">{metricName(metric)}</td>
      <td class={metric.says === undefined ? 'number' : 'says'} data-label="published">
        {publishedText(metric)}
      </td>
      <td class="number" data-label="band">
        {bandText(metric)}
        {metric.wider_than_rule === undefined ? '' : ` ${WIDER}`}
      </td>
      <td class="number" data-label="measured">
        {isKnown ? measuredText(metric) : NOTHING}
      </td>
      <td class="outcome" data-label="verdict">
        {isJudged ? (
          <>
            <VerdictBadge verdict={metric.verdict} />
            {metric.across_edge && <span title={ACROSS_MEANING}> {ACROSS}</span>}{' '}
            {claimNumbers(experiment, metric)}
          </>
        ) : (
          NOTHING
        )}
      </td>
      <td class="why">
        {miss !== '' && (
          <p class="miss">
            <MissText text={miss} />
          </p>
        )}
        {sourceOf(metric).map((text) => (
          <p key={text}>{text}</p>
        ))}
      </td>
    </tr>
  );
}

interface NumbersTableProps {
  published: ExperimentReport;
  /** The experiment's result that the page shows; undefined if it shows none yet. */
  measured: ExperimentReport | undefined;
  /** Whether all runs have ended. */
  isComplete: boolean;
}

export function NumbersTable({ published, measured, isComplete }: NumbersTableProps) {
  const { id } = published;
  const onlyMisses = useSignal(false);
  const all = cellsShown(published, measured);
  if (all.length === 0) return null;
  const isMiss = (metric: MetricReport): boolean => metric.verdict !== 'within';
  const misses = isComplete ? all.flatMap(({ metrics }) => metrics.filter(isMiss)).length : 0;
  const isShort = onlyMisses.value && misses > 0;
  const cells = isShort
    ? all
        .map((cell) => ({ ...cell, metrics: cell.metrics.filter(isMiss) }))
        .filter(({ metrics }) => metrics.length > 0)
    : all;
  return (
    <>
      {misses > 0 && (
        <label class="only-misses">
          <input
            type="checkbox"
            checked={onlyMisses.value}
            onChange={({ currentTarget }) => (onlyMisses.value = currentTarget.checked)}
          />{' '}
          only the numbers outside their band ({misses})
        </label>
      )}
      <div class="scroll" role="region" aria-label={`Numbers of ${id}`} tabIndex={0}>
        <table class="cards numbers">
          <caption>
            {isShort && 'Only the numbers outside their band. '}
            Published beside measured: mean ± half of its 95 % interval (runs)
          </caption>
          <thead>
            <tr>
              <th scope="col">cell</th>
              <th scope="col">metric</th>
              <th scope="col" class="number">
                published
              </th>
              <th scope="col" class="number">
                band
              </th>
              <th scope="col" class="number">
                measured
              </th>
              <th scope="col">verdict</th>
              <th scope="col">difference, source and band</th>
            </tr>
          </thead>
          {cells.map((cell) => (
            <tbody key={cell.label}>
              {cell.metrics.map((metric, index) => (
                <Row
                  key={index}
                  experiment={measured ?? published}
                  cell={cell}
                  metric={metric}
                  index={index}
                  isComplete={isComplete}
                />
              ))}
            </tbody>
          ))}
        </table>
      </div>
    </>
  );
}

interface OtherRow {
  label: string;
  other: CellReport['others'][number];
}

function OtherTable({ id, rows }: { id: string; rows: readonly OtherRow[] }) {
  return (
    <div class="scroll" role="region" aria-label={`More numbers of ${id}`} tabIndex={0}>
      <table>
        <caption>Measured: mean ± half of its 95 % interval (runs)</caption>
        <thead>
          <tr>
            <th scope="col">cell</th>
            <th scope="col">metric</th>
            <th scope="col" class="number">
              measured
            </th>
          </tr>
        </thead>
        <tbody>
          {rows.map(({ label, other }, index) => (
            <tr key={index}>
              <td>{label === '' ? 'all' : label}</td>
              <td>{metricName(other)}</td>
              <td class="number">{isMeasured(other) ? measuredText(other) : NOTHING}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

/** The measured quantities for which the paper contains no number. Their table is created when the user opens it. */
export function OtherNumbers({ report: { id, cells } }: { report: ExperimentReport }) {
  const rows = cells.flatMap(({ label, others }) => others.map((other): OtherRow => ({ label, other })));
  if (rows.length === 0) return null;
  return (
    <LazyDetails summary={`Also measured (${rows.length} numbers that the paper does not give)`}>
      {() => <OtherTable id={id} rows={rows} />}
    </LazyDetails>
  );
}
