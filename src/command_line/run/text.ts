/**
 * The text output of `ccscope run`: a table of metrics per cell, the numbers and claims of the paper, and a chart
 * over time.
 */
import { tableSpec, type TraceBatch } from '../../core/index.js';
import {
  cellLabel,
  metricText,
  VERDICTS,
  type ExperimentResult,
  type MetricResult,
  type Scenario,
} from '../../scenario/index.js';
import { measuredOf } from '../../papers/measured.js';
import { metricName } from '../../papers/metric_name.js';
import type { ExperimentReport, MetricReport } from '../../papers/report.js';
import { claimLines } from '../../papers/table.js';
import { bandText, comparedText, publishedText } from '../../papers/text.js';
import { aligned, sparkline } from '../../text/terminal.js';

/**
 * The metrics to show: those in the scenario's `metrics` and `expectations`, or all if both are empty. The
 * results also contain metrics that only claims and figures need.
 */
function wanted(scenario: Scenario, metrics: readonly MetricResult[]): readonly MetricResult[] {
  const asked = [...(scenario.metrics ?? []), ...(scenario.expectations ?? [])];
  if (asked.length === 0) return metrics;
  const names = new Set(asked.map(({ metric, ...about }) => metricName({ ...about, name: metric })));

  return metrics.filter((metric) => names.has(metricName(metric)));
}

/**
 * One row per cell and one column per metric, or one row per metric if there is only one cell. Each number is
 * `0.91 ± 0.02`, in the metric's unit: the mean and, if there are at least two runs, half of the 95 % interval of the
 * mean. `runs` is the number of runs in each cell. `replaced` contains the controllers that replaced the scenario's own,
 * by flow name.
 */
export function resultTable(
  scenario: Scenario,
  { cells }: ExperimentResult,
  runs: number,
  replaced: ReadonlyMap<string, string>,
): string[] {
  const title = (metric: MetricResult): string => {
    const { flow } = metric;
    const controller = flow === undefined ? undefined : replaced.get(flow);
    return metricName(controller === undefined ? metric : { ...metric, flow: `${flow} (${controller})` });
  };
  const asked = cells.map(({ params, metrics }) => ({ params, metrics: wanted(scenario, metrics) }));
  const columns = [...new Set(asked.flatMap(({ metrics }) => metrics.map(title)))];
  const texts = asked.map(({ params, metrics }) => [
    cellLabel(scenario, params),
    ...columns.map((column) => {
      const metric = metrics.find((each) => title(each) === column);
      return metric === undefined ? '' : comparedText(metric.name, measuredOf(metric.measured), runs);
    }),
  ]);
  const [first] = texts;
  if (texts.length === 1 && first !== undefined) {
    return [
      ...aligned(columns.map((column, i) => [`  ${column}`, first[i + 1] ?? ''])),
      ...intervalKey(cells),
    ];
  }
  return [
    ...aligned([['  cell', ...columns], ...texts.map(([cell = '', ...rest]) => [`  ${cell}`, ...rest])]),
    ...intervalKey(cells),
  ];
}

/** Explains the sign ± where it occurs. */
const intervalKey = (cells: ExperimentResult['cells']): string[] =>
  cells.some(({ metrics }) => metrics.some(({ measured }) => measured.n > 1))
    ? ['  ± is half of the 95 % interval of the mean over the runs']
    : [];

/**
 * For each published number: its band (the accepted range), the measured values, and the verdicts over all cells
 * that ran.
 */
export function publishedTable({ cells }: ExperimentReport): string[] {
  const groups = new Map<string, MetricReport[]>();
  for (const metric of cells.flatMap(({ metrics }) => metrics)) {
    const key = `  ${metricName(metric)}\t${publishedText(metric)}\t${bandText(metric)}`;
    groups.set(key, [...(groups.get(key) ?? []), metric]);
  }
  if (groups.size === 0) return [];
  const rows = [...groups].map(([key, metrics]) => {
    const means = metrics.map(({ measured }) => measured.mean ?? NaN).sort((a, b) => a - b);
    const ends = [means[0] ?? NaN, means.at(-1) ?? NaN].map((mean) =>
      metricText(metrics[0]?.name ?? '', mean),
    );
    const verdicts = VERDICTS.flatMap((verdict) => {
      const count = metrics.filter((metric) => metric.verdict === verdict).length;
      return count === 0 ? [] : [`${count} ${verdict}`];
    });
    return [...key.split('\t'), [...new Set(ends)].join(' to '), verdicts.join(', ')];
  });
  return aligned([['  metric', 'published', 'band', 'measured', 'verdict'], ...rows], 5);
}

/** The paper's claims, and whether they hold. */
export const claimTable = ({ claims }: ExperimentReport): string[] =>
  claims.flatMap((claim, index) => claimLines(claim, index)).map((line) => `  ${line}`);

/** The width of a chart in characters. A trace may have many more rows. */
const CHART_COLUMNS = 60;

/** At most CHART_COLUMNS means of equally many neighbouring values. Values that are not finite do not count. */
function thinned(values: readonly number[]): number[] {
  const columns = Math.min(values.length, CHART_COLUMNS);
  return Array.from({ length: columns }, (_, column) => {
    const [from, to] = [column, column + 1].map((edge) => Math.round((edge * values.length) / columns));
    const known = values.slice(from, to).filter(Number.isFinite);
    return known.reduce((sum, value) => sum + value, 0) / known.length;
  });
}

/** A chart of the received rate and queuing delay of each flow over time, from the rows of the table `throughput`. */
export function chart(batches: readonly TraceBatch[], names: readonly string[]): string[] {
  const spec = tableSpec('throughput').columns;
  const rows = batches.filter(({ table }) => table === 'throughput');
  const series = (column: string, flow: number): number[] => {
    const at = spec.findIndex(({ name }) => name === column);
    const flowAt = spec.findIndex(({ name }) => name === 'flow');
    return rows.flatMap(({ columns }) => [
      ...(columns[at] ?? []).filter((_, row) => columns[flowAt]?.[row] === flow),
    ]);
  };
  const panel = (column: string, unit: string, scale: number): string[] => {
    const lines = names.map((name, flow) => ({ name, values: thinned(series(column, flow)) }));
    const top = Math.max(0, ...lines.flatMap(({ values }) => values.filter(Number.isFinite)));
    return aligned(
      lines.map(({ name, values }) => [
        `  ${name}`,
        `${sparkline(values, top)} of ${(top * scale).toFixed(0)} ${unit}`,
      ]),
      2,
    );
  };
  return [
    '  received rate over time',
    ...panel('received_bps', 'kbps', 1e-3),
    '  queuing delay over time',
    ...panel('queue_delay_us', 'ms', 1e-3),
  ];
}
