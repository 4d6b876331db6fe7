/** The table of an experiment: every published number, with the value measured so far. */
import { cellKey } from '../../scenario/cells.js';
import type { CellReport, ExperimentReport, MetricReport } from '../../papers/report.js';
import { WIDER } from '../../papers/text.js';

/** The text in place of a missing number. */
export const NOTHING = '–';

/**
 * The cells for which the paper published numbers. Once a run of a cell has ended, the cell has its measured values,
 * too.
 */
export function cellsShown(
  published: ExperimentReport,
  measured: ExperimentReport | undefined,
): readonly CellReport[] {
  const found = new Map((measured?.cells ?? []).map((cell) => [cellKey(cell.params), cell]));
  return published.cells
    .map((cell) => found.get(cellKey(cell.params)) ?? cell)
    .filter(({ metrics }) => metrics.length > 0);
}

/**
 * Whether any run measured the number. A number without a measurement gets a verdict only once all runs have ended.
 */
export const isMeasured = ({ measured }: Pick<MetricReport, 'measured'>): boolean => measured.n > 0;

/** Where the paper states the number, and the reason for the width of its tolerance band. */
export const sourceOf = ({ where, read, why, wider_than_rule: wider }: MetricReport): string[] => [
  `${where} (${read})`,
  `Band: ${why}`,
  ...(wider === undefined ? [] : [`${WIDER} ${wider}`]),
];

/** Groups digits, as in 86,976. (Formatting by locale takes 15 ms the first time.) */
export const grouped = (count: number): string => String(Math.round(count)).replace(/\B(?=(\d{3})+$)/g, ',');

/** `1 run`, `6,656 runs`. */
export const runsText = (runs: number): string => `${grouped(runs)} ${runs === 1 ? 'run' : 'runs'}`;

/** `3 h`, `50 min`, `30 s`: a duration, in virtual or in real time. */
export function durationText(seconds: number): string {
  if (seconds >= 2 * 3600) return `${grouped(seconds / 3600)} h`;
  return seconds >= 120 ? `${grouped(seconds / 60)} min` : `${grouped(Math.max(1, seconds))} s`;
}

/**
 * How long a computation is expected to take: `about 2 s here` if the speed of this machine was measured, otherwise
 * `about 2 s`.
 */
export const takesText = ({ seconds, isMeasured }: { seconds: number; isMeasured: boolean }): string =>
  `about ${durationText(seconds)}${isMeasured ? ' here' : ''}`;

/** `120 runs of 300 s each, 10 h of simulated time`. `each` is undefined if the runs have different durations. */
export function costText({ runs, simulatedS }: { runs: number; simulatedS: number }, each?: number): string {
  return each === undefined
    ? `${runsText(runs)}, ${durationText(simulatedS)} of simulated time`
    : `${runsText(runs)} of ${grouped(each)} s each, ${durationText(simulatedS)} of simulated time`;
}

/** The link that opens a scenario in the Lab. `cell` is the cell (combination of axis values) to show. */
export function labLink(
  scenario: string,
  theme: string,
  cell: Readonly<Record<string, string>> = {},
): string {
  const query = new URLSearchParams({ scenario });
  for (const [axis, value] of Object.entries(cell)) query.set(`cell.${axis}`, value);
  if (theme !== 'auto') query.set('theme', theme);
  return `./lab.html?${query}`;
}
