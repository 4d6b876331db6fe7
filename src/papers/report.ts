/** The report of `ccscope reproduce --json`: its shape is a contract that others script against. */
import * as v from 'valibot';

import { cellLabel, type ClaimResult, type ExperimentResult, type MetricResult } from '../scenario/index.js';
import type { Scenario } from '../scenario/index.js';
import { comparedCaseSchema } from './comparison.js';
import { measuredOf, measuredSchema } from './measured.js';

const verdict = v.picklist(['within', 'ordering', 'off']);

const measurement = v.object({
  name: v.string(),
  /** `ratio` (0 to 1), `bps`, `ms`, `s`, or `1`. */
  unit: v.string(),
  /** The flow, window and path that it is about, where they are not the usual ones. */
  flow: v.optional(v.string()),
  window: v.optional(v.string()),
  path: v.optional(v.string()),
  measured: measuredSchema,
});

const metric = v.object({
  ...measurement.entries,
  published: v.number(),
  /** The paper's words, where they are no plain number. */
  says: v.optional(v.string()),
  /** Where in the paper, and whether it was read in text, table or figure, or comes from a formula. */
  where: v.string(),
  read: v.string(),
  /** Lowest and highest mean that count as reproduced, and why. */
  band: v.tuple([v.number(), v.number()]),
  why: v.string(),
  /** What is known about it, for instance why it is out. */
  note: v.optional(v.string()),
  verdict,
});

const cell = v.object({
  params: v.record(v.string(), v.string()),
  label: v.string(),
  metrics: v.array(metric),
  /** What the paper gives no number for. */
  others: v.array(measurement),
});

const claim = v.object({
  id: v.string(),
  says: v.string(),
  where: v.string(),
  /** null if none of its cells gave a number. */
  holds: v.nullable(v.boolean()),
});

const counts = v.object({ within: v.number(), ordering: v.number(), off: v.number() });

const experiment = v.object({
  id: v.string(),
  paper: v.string(),
  title: v.string(),
  description: v.string(),
  /** Section, figure or table of the paper. */
  source: v.string(),
  cells: v.array(cell),
  claims: v.array(claim),
  notes: v.array(v.string()),
  summary: counts,
  /** Runs of each cell. */
  runs: v.number(),
  /** Seed of the first run of each cell; run i has this plus i. */
  seed: v.number(),
  /** Its share of the CPU time. */
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
  /** Controllers beside each other, in the experiments that compare them. */
  comparison: v.array(comparedCaseSchema),
  summary: counts,
  /** Version. */
  ccscope: v.string(),
  created: v.string(),
  cpu_seconds: v.number(),
  wall_seconds: v.number(),
  /** Runs that gave nothing, with what repeats them. */
  failures: v.array(failure),
});

export type Report = v.InferOutput<typeof reportSchema>;
export type ExperimentReport = v.InferOutput<typeof experiment>;
export type CellReport = v.InferOutput<typeof cell>;
export type MetricReport = v.InferOutput<typeof metric>;
export type Measurement = v.InferOutput<typeof measurement>;
export type ClaimReport = v.InferOutput<typeof claim>;
export type Counts = v.InferOutput<typeof counts>;
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
    const { published, says, where, read, band, why, note, verdict: outcome } = result;
    if (published === undefined || outcome === undefined || band === undefined) {
      others.push(measurementOf(result));
      continue;
    }
    metrics.push({
      ...measurementOf(result),
      published,
      ...(says !== undefined && { says }),
      where: where ?? '',
      read: read ?? '',
      band: [band[0], band[1]],
      why: why ?? '',
      ...(note !== undefined && { note }),
      verdict: outcome,
    });
  }
  return { metrics, others };
}

const claimOf = ({ id, says, where, holds }: ClaimResult): ClaimReport => ({ id, says, where, holds });

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
    claims: result.claims.map(claimOf),
    notes: scenario.notes ?? [],
    summary: countVerdicts(cells),
    runs,
    seed: scenario.seed ?? 1,
    cpu_seconds: cpuSeconds,
  };
}

/** How many of each verdict. */
function countVerdicts(cells: readonly CellReport[]): Counts {
  const total: Counts = { within: 0, ordering: 0, off: 0 };
  for (const { metrics } of cells) for (const one of metrics) total[one.verdict] += 1;
  return total;
}

/** Counts of several experiments together. */
export function sumCounts(all: readonly Counts[]): Counts {
  const total: Counts = { within: 0, ordering: 0, off: 0 };
  for (const { within, ordering, off } of all) {
    total.within += within;
    total.ordering += ordering;
    total.off += off;
  }
  return total;
}
