/** The schema of the report of `ccscope reproduce --json`. Users' scripts depend on it, so keep it stable. */
import * as v from 'valibot';

import {
  cellLabel,
  METRICS,
  VERDICTS,
  type Claim,
  type ClaimCase,
  type ClaimResult,
  type ExperimentResult,
  type MetricResult,
  type Scenario,
  type StatementResult,
  type Verdict,
} from '../scenario/index.js';
import { comparedCaseSchema } from './comparison.js';
import { measuredOf, measuredSchema } from './measured.js';
import { surfaceReport, surfaceSchema } from './surface.js';
import { SLOPE_TESTS, testText } from './claim_text.js';

const verdict = v.picklist(VERDICTS);

const measurement = v.object({
  name: v.string(),
  /** `ratio` (1 is 100 %), `bps`, `ms`, `s`, or `1`. */
  unit: v.string(),
  /**
   * The flow, the time window and the path that were measured. If one is absent, its default was measured.
   */
  flow: v.optional(v.string()),
  window: v.optional(v.string()),
  path: v.optional(v.string()),
  measured: measuredSchema,
});

/**
 * `number`: the paper gives a number, or states that something did not occur. `words`: the paper gives only words,
 * and `published` is a number that was chosen here to represent them.
 */
const publishedIs = v.picklist(['number', 'words']);

const metric = v.object({
  ...measurement.entries,
  published: v.number(),
  published_is: publishedIs,
  /** The paper's wording if the paper does not give a plain number. */
  says: v.optional(v.string()),
  /**
   * `where`: the section, figure or table with the number. `read`: whether the number was read from text, from a
   * table or from a figure, or computed from a formula.
   */
  where: v.string(),
  read: v.string(),
  /** `band`: the lowest and the highest mean that count as reproduced. `why`: the reason for these limits. */
  band: v.tuple([v.number(), v.number()]),
  why: v.string(),
  /**
   * The reason why the band is wider than the rule for its metric allows, or why the rule does not apply to it. Absent
   * if it follows the rule, or if it is the paper's own.
   */
  wider_than_rule: v.optional(v.string()),
  /** The ids of the claims that decide between `ordering` and `off` if the mean lies outside the band. */
  claims: v.optional(v.array(v.string())),
  /** Why the number may miss its band, as far as that is known. */
  note: v.optional(v.string()),
  verdict,
  /**
   * Whether the 95 % interval of the mean reaches across an edge of the band. Then other seeds could give another
   * verdict.
   */
  across_edge: v.boolean(),
});

const cell = v.object({
  params: v.record(v.string(), v.string()),
  label: v.string(),
  metrics: v.array(metric),
  /** Measured quantities for which the paper gives no number. */
  others: v.array(measurement),
});

const claim = v.object({
  id: v.string(),
  says: v.string(),
  where: v.string(),
  /** Why the claim may fail, as far as that is known. */
  note: v.optional(v.string()),
  /** Null if the cells of the claim were not run, or if it is about a map that misses cells. */
  holds: v.nullable(v.boolean()),
  /** How the claim is tested, in words. */
  test: v.string(),
  /**
   * The largest p-value among the claim's cases. Null if some case was not tested, such as a case with a single
   * run.
   */
  p: v.nullable(v.number()),
  /** `of`: the number of cases. `hold`: the number of cases in which the claim holds. */
  cases: v.object({ hold: v.number(), of: v.number() }),
  /**
   * The cases in which the claim fails. `cell`: the cell, or the axis values that all cells of the case share.
   * `values`: the compared means. `p`: the p-value.
   */
  failing: v.array(
    v.object({ cell: v.string(), values: v.array(v.nullable(v.number())), p: v.nullable(v.number()) }),
  ),
});

const counts = v.object({ within: v.number(), ordering: v.number(), off: v.number() });
/** `across_edge`: how many numbers have a 95 % interval that reaches across an edge of their band. */
const summary = v.object({ statements: counts, numbers: counts, across_edge: v.number() });

/** A number that a paper gives for one or more cells, or a position that it gives on a map. */
const statement = v.object({
  metric: v.string(),
  /** Null if the paper gives a position on a map instead of a number, such as the position of a maximum. */
  published: v.nullable(v.number()),
  published_is: publishedIs,
  says: v.optional(v.string()),
  where: v.string(),
  numbers: counts,
  /** The worst of the verdicts that `numbers` counts. */
  verdict,
});

const experiment = v.object({
  id: v.string(),
  paper: v.string(),
  title: v.string(),
  description: v.string(),
  /** Section, figure or table of the paper. */
  source: v.string(),
  /** Empty if the cells are the points of a surface. */
  cells: v.array(cell),
  /** Absent if the cells are not the points of a surface, or if points are missing: then nothing is judged. */
  surface: v.optional(surfaceSchema),
  statements: v.array(statement),
  claims: v.array(claim),
  /** Choices that were made after the results were known. */
  decided_after_results: v.array(v.string()),
  notes: v.array(v.string()),
  summary,
  /** The number of runs of each cell. */
  runs: v.number(),
  /** The seed of the first run of each cell; run i has this seed plus i. */
  seed: v.number(),
  /** The experiment's part of the total CPU time. */
  cpu_seconds: v.number(),
});

const failure = v.object({
  experiment: v.string(),
  cell: v.string(),
  run: v.number(),
  seed: v.number(),
  error: v.string(),
});

export const reportSchema = v.object({
  experiments: v.array(experiment),
  /** The comparisons of controllers, from all experiments that compare any. */
  comparison: v.array(comparedCaseSchema),
  summary,
  /** The version of ccscope. */
  ccscope: v.string(),
  /** The SHA-256 hash of the core, and the command line. Absent in the report of a page. */
  core_sha256: v.optional(v.string()),
  command: v.optional(v.string()),
  created: v.string(),
  cpu_seconds: v.number(),
  wall_seconds: v.number(),
  /** The failed runs, with everything needed to repeat them. */
  failures: v.array(failure),
  /**
   * False if the command was interrupted, or if an experiment in the report of a page has runs that were not made: the
   * report then covers the runs that were made.
   */
  complete: v.optional(v.boolean()),
});

export type Report = v.InferOutput<typeof reportSchema>;
export type ExperimentReport = v.InferOutput<typeof experiment>;
export type CellReport = v.InferOutput<typeof cell>;
export type MetricReport = v.InferOutput<typeof metric>;
export type Measurement = v.InferOutput<typeof measurement>;
export type ClaimReport = v.InferOutput<typeof claim>;
export type StatementReport = v.InferOutput<typeof statement>;
export type Counts = v.InferOutput<typeof counts>;
/** How many statements, and how many numbers, have each verdict. */
export type Summary = ExperimentReport['summary'];
export type FailureReport = v.InferOutput<typeof failure>;

function measurementOf({ name, unit, flow, window, path, measured }: MetricResult): Measurement {
  return {
    name,
    unit,
    ...(flow !== undefined && { flow }),
    ...(window !== undefined && { window }),
    ...(path !== undefined && { path }),
    measured: measuredOf(measured),
  };
}

function metricsOf(results: readonly MetricResult[]): Pick<CellReport, 'metrics' | 'others'> {
  const metrics: MetricReport[] = [];
  const others: Measurement[] = [];
  for (const result of results) {
    const { published, publishedIs: is = 'number', says, where, read, band } = result;
    const { why, widerThanRule, note, claims, verdict: outcome } = result;
    if (published === undefined || outcome === undefined || band === undefined) {
      others.push(measurementOf(result));
      continue;
    }
    metrics.push({
      ...measurementOf(result),
      published,
      published_is: is,
      ...(says !== undefined && { says }),
      where: where ?? '',
      read: read ?? '',
      band: [band[0], band[1]],
      why: why ?? '',
      ...(widerThanRule !== undefined && { wider_than_rule: widerThanRule }),
      ...(claims !== undefined && { claims: [...claims] }),
      ...(note !== undefined && { note }),
      verdict: outcome,
      across_edge: crossesEdge(result, band),
    });
  }
  return { metrics, others };
}

/**
 * Whether the 95 % interval of the mean reaches across an edge of the band. A limit that no value of the metric can pass
 * does not count as an edge.
 */
function crossesEdge(
  { name, unit, measured }: MetricResult,
  [low, high]: readonly [number, number],
): boolean {
  const isRelative = METRICS.get(name)?.scope === 'relative';
  const isShare = !isRelative && (unit === 'ratio' || name.startsWith('jain'));
  const edges = [...(low > 0 || isRelative ? [low] : []), ...(high < 1 || !isShare ? [high] : [])];
  const [from, to] = measured.ci95;
  return edges.some((edge) => from < edge && edge < to);
}

/** The cell of a case, or the axis values that all its cells share. */
function caseLabel(scenario: Scenario, claim: Claim | undefined, [first = {}]: ClaimCase['cells']): string {
  if (claim?.kind !== 'monotone') return cellLabel(scenario, first);
  const { [claim.along]: _, ...others } = first;
  return cellLabel(scenario, others);
}

function testOf(scenario: Scenario, id: string): string {
  const claim = scenario.claims?.find((each) => each.id === id);
  const slope = scenario.surface?.slopes.find((each) => each.id === id);
  return claim !== undefined ? testText(scenario, claim) : slope === undefined ? '' : SLOPE_TESTS[slope.kind];
}

function claimOf(scenario: Scenario, { cases, ...claim }: ClaimResult): ClaimReport {
  const form = scenario.claims?.find(({ id }) => id === claim.id);
  const failing = cases
    .filter(({ holds }) => !holds)
    .map(({ cells, values, p: own }) => ({
      cell: caseLabel(scenario, form, cells),
      values: values.map((value) => (Number.isFinite(value) ? value : null)),
      p: own,
    }));
  const tested = cases.flatMap(({ p }) => p ?? []);
  const p = tested.length < cases.length || tested.length === 0 ? null : Math.max(...tested);
  const hold = cases.filter((each) => each.holds).length;
  const test = testOf(scenario, claim.id);
  return { ...claim, test, p, cases: { hold, of: cases.length }, failing };
}

const statementOf = ({
  numbers,
  published,
  publishedIs: is = 'number',
  ...rest
}: StatementResult): StatementReport => ({
  ...rest,
  published_is: is,
  published: Number.isNaN(published) ? null : published,
  numbers: { ...numbers },
});

export interface ExperimentRuns {
  runs: number;
  cpuSeconds: number;
}

/** The report of one experiment. */
export function experimentReport(
  scenario: Scenario,
  result: ExperimentResult,
  { runs, cpuSeconds }: ExperimentRuns,
): ExperimentReport {
  const cells = result.cells.map(({ params, metrics }) => ({
    params: { ...params },
    label: cellLabel(scenario, params),
    ...metricsOf(metrics),
  }));
  return {
    id: scenario.id,
    paper: scenario.paper ?? '',
    title: scenario.title,
    description: scenario.description,
    source: scenario.source ?? '',
    cells,
    ...(result.surface !== undefined && { surface: surfaceReport(result.surface) }),
    statements: result.statements.map(statementOf),
    claims: result.claims.map((claim) => claimOf(scenario, claim)),
    decided_after_results: scenario.decided_after_results ?? [],
    notes: scenario.notes ?? [],
    summary: {
      statements: countVerdicts(result.statements),
      numbers: sumCounts(result.statements.map(({ numbers }) => numbers)),
      across_edge: cells.reduce((sum, each) => sum + each.metrics.filter((one) => one.across_edge).length, 0),
    },
    runs,
    seed: scenario.seed ?? 1,
    cpu_seconds: cpuSeconds,
  };
}

/** How many of the given results have each verdict. */
function countVerdicts(of: readonly { verdict: Verdict }[]): Counts {
  const total: Counts = { within: 0, ordering: 0, off: 0 };
  for (const each of of) total[each.verdict] += 1;
  return total;
}

function sumCounts(all: readonly Counts[]): Counts {
  const total: Counts = { within: 0, ordering: 0, off: 0 };
  for (const each of all) for (const name of VERDICTS) total[name] += each[name];
  return total;
}

/** The sum of several experiments' summaries. */
export const sumSummaries = (all: readonly Summary[]): Summary => ({
  statements: sumCounts(all.map(({ statements }) => statements)),
  numbers: sumCounts(all.map(({ numbers }) => numbers)),
  across_edge: all.reduce((sum, { across_edge: across }) => sum + across, 0),
});
