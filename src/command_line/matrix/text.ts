/** The report on a matrix as text. The HTML page of the report shares some of its wording. */
import type { RunReport } from '../call/types.js';
import { aligned } from '../../text/terminal.js';
import type { Compared, Target } from './form.js';
import type { MatrixReport } from './report.js';
import type { CellReport, ComparisonReport, Differences, VerdictReport } from './verdicts.js';
import { counted } from '../../text/counted.js';

interface Quantity {
  name: string;
  unit: string;
  digits: number;
}

export const QUANTITIES: Readonly<Record<Compared, Quantity>> = {
  utilisation: { name: 'utilisation', unit: '', digits: 3 },
  queue_delay_p95_ms: { name: 'queue p95', unit: ' ms', digits: 0 },
  drops: { name: 'drops', unit: '', digits: 0 },
  freeze_count: { name: 'freezes', unit: '', digits: 0 },
  time_to_90pct_s: { name: '90 % after', unit: ' s', digits: 1 },
};

/** `-` for a missing value, such as a time that was never reached. */
export const valueText = (metric: Compared, value: number | null): string =>
  value === null ? '-' : value.toFixed(QUANTITIES[metric].digits);

/** A difference, with a plus sign if it is positive. */
export function differenceText(metric: Compared, value: number | null): string {
  if (value === null) return '-';
  const text = valueText(metric, value);
  return value > 0 ? `+${text}` : text;
}

/** A target as text, such as `queue p95 at most +20 ms`. */
export function targetText({ metric, at_least, at_most, over }: Target): string {
  const { name, unit } = QUANTITIES[metric];
  const limit = at_least ?? at_most ?? NaN;
  const how = at_least === undefined ? 'at most' : 'at least';
  const text = `${name} ${how} ${limit > 0 ? '+' : ''}${limit}${unit}`;
  return over === 'links' ? `${text} in the median` : text;
}

export const HOLDS = { true: 'holds', false: 'fails', null: 'not known' } as const;
export const holdsText = ({ holds }: VerdictReport): string => HOLDS[`${holds}`];

/** The name of a set of links, such as `training links`; `all links` for null. */
export const setText = (set: string | null): string => `${set ?? 'all'} links`;

/** The metrics, in the order of the columns. */
export const METRICS = Object.keys(QUANTITIES) as Compared[];

const title = (metric: Compared): string => `${QUANTITIES[metric].name}${QUANTITIES[metric].unit}`;

/** A median, followed by its difference from the baseline's median in brackets. */
function cellText(metric: Compared, { report }: CellReport, differences: Differences | undefined): string {
  const text = valueText(metric, report.summary[metric].median);
  return differences === undefined ? text : `${text} (${differenceText(metric, differences[metric])})`;
}

const sameCell = (a: CellReport, b: ComparisonReport): boolean =>
  a.link === b.link && a.source === b.source && a.controller === b.controller;

/** What the column "fails" says of a target that is not met, or of which a median is missing. */
const failureText = (one: VerdictReport): string => {
  const { name } = QUANTITIES[one.metric];
  return one.holds === null ? `${name} (${holdsText(one)})` : name;
};

function cellRows({ cells, comparisons, runs, baseline }: MatrixReport): string[] {
  // Without a baseline nothing is judged: an empty column would look as if all targets held.
  const isJudged = baseline !== null;
  const rows = cells.map((cell) => {
    const comparison = comparisons.find((each) => sameCell(cell, each));
    const failed = comparison?.verdicts.filter(({ holds }) => holds !== true) ?? [];
    const count = cell.report.runs.length;
    return [
      cell.link,
      cell.source,
      `${cell.controller}${count < runs ? ` (${count} of ${runs} runs)` : ''}`,
      ...METRICS.map((metric) => cellText(metric, cell, comparison?.differences)),
      ...(isJudged ? [failed.map(failureText).join(', ')] : []),
    ];
  });
  const heads = ['link', 'source', 'controller', ...METRICS.map(title), ...(isJudged ? ['fails'] : [])];
  return aligned([heads, ...rows], 3);
}

function overLines({ over_links: over }: MatrixReport): string[] {
  return over.flatMap(({ controller, against, set, cells, differences, holding, verdicts }) => [
    `${controller} beside ${against}, ${setText(set)} (${cells} cells), medians of the differences: ` +
      METRICS.map(
        (metric) => `${QUANTITIES[metric].name} ${differenceText(metric, differences[metric])}`,
      ).join(', '),
    ...holding.map((target) => `  ${targetText(target)}: in ${target.holds_in} of ${cells}`),
    ...verdicts.map((one) => `  ${targetText(one)}: ${holdsText(one)}`),
  ]);
}

/** The faults of the controller in charge. After such a fault, the rest of the run says nothing about the controller. */
export const faultsInCharge = ({ controller_faults: faults }: RunReport): RunReport['controller_faults'] =>
  faults.filter(({ flow }) => flow === 0);

/** How many runs of a cell had a fault of the controller in charge. */
export const faultyRuns = ({ report: { runs } }: CellReport): number =>
  runs.filter((run) => faultsInCharge(run).length > 0).length;

export function matrixText(report: MatrixReport): string {
  const { title: name, runs, duration_s, twin, machine, notes, failures, complete, baseline } = report;
  const how = twin === true ? ` (twin, machine ${machine ?? 'idle'})` : '';
  const beside = baseline === null ? '' : `; in brackets: less the median of ${baseline}`;
  const overloaded = report.cells.reduce((sum, cell) => sum + cell.report.overloaded_runs, 0);
  const aside = report.cells.reduce((sum, cell) => sum + cell.report.set_aside.length, 0);
  const faulty = report.cells.reduce((sum, cell) => sum + faultyRuns(cell), 0);
  return [
    `${name}${how}`,
    `${counted(runs, 'run')} of ${duration_s} s in each cell, medians${beside}`,
    '',
    ...cellRows(report),
    '',
    ...overLines(report),
    ...notes,
    ...(overloaded > 0 ? [`${counted(overloaded, 'run')} on an overloaded machine`] : []),
    ...(aside > 0 ? [`${counted(aside, 'run')} on an overloaded machine set aside, in no median`] : []),
    ...(faulty > 0
      ? [`${counted(faulty, 'run')} in which the controller failed and kept its last rate`]
      : []),
    ...(complete ? [] : ['interrupted: these are the runs that were made']),
    ...(failures.length > 0 ? [`${counted(failures.length, 'run')} failed`] : []),
    '',
  ].join('\n');
}
