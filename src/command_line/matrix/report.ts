/** The results of a matrix of calls: one report on all cells. Keep its shape stable. */
import { controllerReport, isStarted, type Series } from '../call/series.js';
import type { TwinMachine } from '../call/types.js';
import { DEFAULT_BASELINE, type Matrix } from './form.js';
import type { Cell, CellNames } from './plan.js';
import { compareCells, type CellReport, type ComparisonReport, type OverLinksReport } from './verdicts.js';

/** A run that failed. The other runs continued. */
export interface FailureReport extends CellNames {
  /** Counted from 1, for display. */
  run: number;
  error: string;
}

export interface MatrixReport {
  title: string;
  description: string | null;
  /** The name or file of the matrix. */
  matrix: string;
  ccscope: string;
  /** When the command began, in ISO 8601. */
  created: string;
  /** Set if the calls were simulated. */
  twin?: true;
  /** The load of the simulated machine; absent for real calls. */
  machine?: TwinMachine;
  /** Planned runs of each cell. */
  runs: number;
  duration_s: number;
  /** False if the matrix was interrupted: the report then covers the runs that were made. */
  complete: boolean;
  /** How the runs differ from the matrix's file, for example a controller that was left out. */
  notes: string[];
  cells: CellReport[];
  /** The name of the baseline controller; null if it took no part in the runs. */
  baseline: string | null;
  comparisons: ComparisonReport[];
  over_links: OverLinksReport[];
  failures: FailureReport[];
}

/** A cell and its runs so far. */
export interface RunCell extends Cell {
  series: Series;
}

/** The part of a matrix's report that is known before its first run. */
export type MatrixHead = Omit<
  MatrixReport,
  'complete' | 'cells' | 'baseline' | 'comparisons' | 'over_links' | 'failures'
>;

export const namesOf = ({ link, set, source, controller }: CellNames): CellNames => ({
  ...{ link, set, source, controller },
});

export function matrixReport(
  head: MatrixHead,
  { baseline = DEFAULT_BASELINE, targets = [] }: Matrix,
  cells: readonly RunCell[],
  failures: readonly FailureReport[],
): MatrixReport {
  const made = cells
    .filter(({ series }) => isStarted(series))
    .map((cell): CellReport => ({ ...namesOf(cell), report: controllerReport(cell.series) }));
  const takesPart = cells.some(({ controller }) => controller === baseline);
  const done = made.reduce((sum, { report }) => sum + report.runs.length, 0);
  return {
    ...head,
    complete: done + failures.length === cells.length * head.runs,
    cells: made,
    baseline: takesPart ? baseline : null,
    // A cell whose only runs were set aside has no medians to compare.
    ...compareCells(
      made.filter(({ report }) => report.runs.length > 0),
      baseline,
      targets,
    ),
    failures: inOrder(failures, cells),
  };
}

/** Failures in the order of the cells, not in the order in which they happened. */
function inOrder(failures: readonly FailureReport[], cells: readonly CellNames[]): FailureReport[] {
  const place = ({ link, source, controller }: CellNames): number =>
    cells.findIndex((cell) => cell.link === link && cell.source === source && cell.controller === controller);
  return [...failures].sort((a, b) => place(a) - place(b) || a.run - b.run);
}
