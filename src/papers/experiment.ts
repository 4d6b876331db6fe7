/** Creates the report and the figures of one experiment from its runs. Works in Node and in a page. */
import {
  cellKey,
  cellLabel,
  cellsOf,
  compareCells,
  instantiate,
  judge,
  judgeSurface,
  quantityKey,
  summarise,
  type CellValues,
  type ClaimResult,
  type MetricResult,
  type Quantity,
  type Scenario,
  type Verdict,
} from '../scenario/index.js';
import { defaultFlow } from '../scenario/metrics.js';
import type { CellResults } from '../figures/cell_results.js';
import { pictureFigures, type PictureFigures } from '../figures/pictures.js';
import { caseReports, type CaseReport } from './comparison.js';
import type { Job, RunOutcome, RunValues } from './jobs.js';
import {
  experimentReport,
  sumSummaries,
  type ExperimentReport,
  type ExperimentRuns,
  type FailureReport,
  type Report,
} from './report.js';
import { surfaceFigure, surfaceReport } from './surface.js';

/** A run that has ended, either with a result or with a failure. */
export interface Ended {
  job: Job;
  outcome: RunOutcome;
}

export interface ExperimentOutcome {
  report: ExperimentReport;
  /** The comparisons of controllers. Empty if the experiment does not compare any. */
  cases: CaseReport[];
  pictures: PictureFigures[];
}

interface EndedCell {
  params: Job['params'];
  runs: { run: number; result: RunValues }[];
}

/**
 * The outcome of an experiment, computed from the runs that have ended. Omits cells without an ended run, so it
 * can be called while other runs are still in progress.
 */
export function experimentOf(
  scenario: Scenario,
  ended: readonly Ended[],
  about: ExperimentRuns,
): ExperimentOutcome {
  const cells = new Map<string, EndedCell>();
  for (const { job, outcome } of ended) {
    const key = cellKey(job.params);
    const cell = cells.get(key) ?? { params: job.params, runs: [] };
    cells.set(key, cell);
    if ('result' in outcome) cell.runs.push({ run: job.run, result: outcome.result });
  }
  const results = [...cells.values()].map(({ params, runs }) => ({ params, ...gather(runs) }));
  const measured = results.map(({ params, values }): CellValues => ({ cell: params, values }));
  const { surface } = scenario;
  if (surface !== undefined) {
    const { surface: map, ...judged } = judgeSurface(scenario, surface, measured);
    // A map that misses cells is not judged, since its highest point may be among them. A map has no highest point if
    // all runs of one of its parts failed.
    if (map === undefined || map.highest.length === 0 || cells.size < cellsOf(scenario).length) {
      const unjudged = { ...judged, statements: [], claims: notTested(judged.claims) };
      return { report: experimentReport(scenario, unjudged, about), cases: [], pictures: [] };
    }
    const report = experimentReport(scenario, { ...judged, surface: map }, about);
    const figure = surfaceFigure(surfaceReport(map), `${surface.metric}: darker is higher`);
    return { report, cases: [], pictures: [{ title: '', columns: [[figure]] }] };
  }
  const judged = judge(scenario, measured);
  const drawn = results.map(({ params, values, trace, densities }, index): CellResults => ({
    params,
    scenario: instantiate(scenario, params),
    summary: (quantity: Quantity) => summarise(values.get(quantityKey(quantity)) ?? []),
    verdict: (quantity: Quantity) => verdictIn(scenario, judged.cells[index]?.metrics ?? [], quantity),
    trace,
    densities,
  }));
  return {
    report: experimentReport(scenario, judged, about),
    cases: caseReports(scenario, compareCells(scenario, measured), about.runs),
    pictures: pictureFigures(scenario, drawn),
  };
}

/** The verdict on a quantity of a cell. A quantity without a flow is about the default flow. */
function verdictIn(
  scenario: Scenario,
  metrics: readonly MetricResult[],
  quantity: Quantity,
): Verdict | undefined {
  const usual = defaultFlow(scenario);
  const keyOf = ({ flow = usual, ...rest }: Quantity): string => quantityKey({ ...rest, flow });
  const key = keyOf(quantity);
  return metrics.find(
    ({ name, verdict, ...about }) => verdict !== undefined && keyOf({ ...about, metric: name }) === key,
  )?.verdict;
}

/**
 * Collects the results of a cell's runs. `values` contains a list for each quantity. Index i of a list is run i (NaN if
 * the run yielded no value), since claims compare runs with the same seed.
 */
function gather(
  runs: EndedCell['runs'],
): { values: Map<string, number[]> } & Pick<RunValues, 'trace' | 'densities'> {
  const values = new Map<string, number[]>();
  const count = runs.reduce((most, { run }) => Math.max(most, run + 1), 0);
  for (const { run, result } of runs) {
    for (const [key, value] of result.values) {
      const list = values.get(key) ?? Array.from({ length: count }, () => NaN);
      list[run] = value;
      values.set(key, list);
    }
  }
  return {
    values,
    trace: runs.find(({ result }) => result.trace.length > 0)?.result.trace ?? [],
    densities: runs[0]?.result.densities ?? new Map(),
  };
}

/**
 * The report of an experiment before its first run: all published numbers and claims, but no measurements. Ignore
 * its verdicts.
 */
export function publishedReport(scenario: Scenario, runs: number): ExperimentReport {
  const { surface } = scenario;
  const empty = cellsOf(scenario).map((cell): CellValues => ({ cell, values: new Map() }));
  const { surface: _, ...judged } =
    surface === undefined ? judge(scenario, empty) : judgeSurface(scenario, surface, []);
  const claims = notTested(judged.claims);
  return experimentReport(scenario, { ...judged, claims }, { runs, cpuSeconds: 0 });
}

/** The claims without their outcomes. */
const notTested = (claims: readonly ClaimResult[]): ClaimResult[] =>
  claims.map((claim) => ({ ...claim, holds: null, cases: [] }));

export function failureOf({ job, outcome }: Ended): FailureReport[] {
  if ('result' in outcome) return [];
  const { scenario, params, run, seed } = job;
  const { name, message } = outcome.failure;
  return [
    { experiment: scenario.id, cell: cellLabel(scenario, params), run, seed, error: `${name}: ${message}` },
  ];
}

/** The report of several experiments. */
export function reportOf(
  outcomes: readonly ExperimentOutcome[],
  about: Omit<Report, 'experiments' | 'comparison' | 'summary'>,
): Report {
  const experiments = outcomes.map(({ report }) => report);
  return {
    experiments,
    comparison: outcomes.flatMap(({ cases }) => cases),
    summary: sumSummaries(experiments.map(({ summary }) => summary)),
    ...about,
  };
}
