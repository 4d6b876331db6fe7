/**
 * Compares the runs of an experiment with published results: gives a verdict on each number, and decides
 * which claims hold.
 */
import { cellKey, selects, type CellParams } from './cells.js';
import { evaluateClaimBy, type CellValues, type ClaimCase, type ClaimResult } from './claims.js';
import { METRICS, quantityKey, relation, type MetricUnit } from './metrics.js';
import { measuredOf, quantitiesOf } from './measured.js';
import type { Expectation, Quantity, Scenario } from './scenario.js';
import type { Statistics, Summary } from './summary.js';
import type { Surface } from './surface.js';

/**
 * `within`: the mean lies in the band (the accepted range). `ordering`: the mean lies outside the band, but all
 * claims that the expectation names were tested, and hold. `off`: all other cases.
 */
export const VERDICTS = ['within', 'ordering', 'off'] as const;
export type Verdict = (typeof VERDICTS)[number];

/** One measured number of an experiment. */
export interface MetricResult {
  name: string;
  unit: MetricUnit;
  /** The flow, window and path that the number applies to. If one is absent, its default applies. */
  flow?: string;
  window?: string;
  path?: 'forward' | 'backward';
  measured: Summary;
  /** Present if a value was published. */
  published?: number;
  /** `words`: the paper gives no number, and `published` is a number that was chosen here for the paper's words. */
  publishedIs?: 'number' | 'words';
  says?: string;
  where?: string;
  read?: Expectation['read'];
  band?: readonly [low: number, high: number];
  why?: string;
  /** The reason, if the band is wider than the rule for its metric allows, or if there is no such rule. */
  widerThanRule?: string;
  note?: string;
  claims?: readonly string[];
  verdict?: Verdict;
}

/** The verdict on a statement of a paper about one or more cells. `numbers` counts the cells' verdicts. */
export interface StatementResult {
  metric: string;
  /** NaN if the paper gives a position instead of a number. */
  published: number;
  publishedIs?: 'number' | 'words';
  says?: string;
  where: string;
  numbers: VerdictCounts;
  /** The worst of the cells' verdicts. */
  verdict: Verdict;
}

export interface CellResult {
  params: CellParams;
  metrics: readonly MetricResult[];
}

export interface ExperimentResult {
  id: string;
  title: string;
  paper?: string;
  cells: readonly CellResult[];
  /** Contains only statements about cells that were run. */
  statements: readonly StatementResult[];
  claims: readonly ClaimResult[];
  /** Present if the cells form a surface (surface.ts). Then `cells` is empty. */
  surface?: Surface;
}

export type VerdictCounts = Record<Verdict, number>;

/**
 * The verdict on the mean in a cell. `claims` has an entry for each claim that the expectation names. The entry
 * contains only the cases of the claim that involve the cell. A case from a single run cannot be tested, so it does
 * not count as holding.
 */
export function verdictOf(
  mean: number,
  [low, high]: readonly [number, number],
  claims: readonly (readonly Pick<ClaimCase, 'holds' | 'p'>[])[],
): Verdict {
  // Allows for rounding errors: even the mean of equal numbers may differ from them in the last digits.
  const rounding = 1e-9 * Math.max(Math.abs(low), Math.abs(high));
  if (mean >= low - rounding && mean <= high + rounding) return 'within';
  const holds = (cases: readonly Pick<ClaimCase, 'holds' | 'p'>[]): boolean =>
    cases.length > 0 && cases.every((each) => each.holds && each.p !== null);
  return Number.isFinite(mean) && claims.length > 0 && claims.every(holds) ? 'ordering' : 'off';
}

/** The complete result of an experiment, in the order of the given cells. */
export function judgeBy(
  statistics: Statistics,
  scenario: Scenario,
  results: readonly CellValues[],
): ExperimentResult {
  const claims = (scenario.claims ?? []).map((claim) => evaluateClaimBy(statistics, claim, results));
  const expected = (scenario.expectations ?? []).map((expectation) => ({
    expectation,
    numbers: new Map(
      results
        .filter(({ cell }) => selects(expectation.cells, cell))
        .map((result) => [result, judgeNumber(statistics, expectation, result, claims, results)]),
    ),
  }));
  return {
    id: scenario.id,
    title: scenario.title,
    ...(scenario.paper !== undefined && { paper: scenario.paper }),
    cells: results.map((result) => ({
      params: result.cell,
      metrics: [
        ...expected.flatMap(({ numbers }) => numbers.get(result) ?? []),
        ...otherNumbers(statistics, scenario, result, results),
      ],
    })),
    statements: expected.flatMap(({ expectation, numbers }) =>
      statementOf(
        expectation,
        [...numbers.values()].map(({ verdict }) => verdict),
      ),
    ),
    claims,
  };
}

function statementOf(
  { metric, published, published_is: publishedIs = 'number', says, where }: Expectation,
  verdicts: readonly Verdict[],
): StatementResult[] {
  const numbers = counted(verdicts);
  const verdict = VERDICTS.findLast((each) => numbers[each] > 0);
  if (verdict === undefined) return [];
  return [{ metric, published, publishedIs, ...(says !== undefined && { says }), where, numbers, verdict }];
}

/**
 * The values of a quantity in all runs of a cell. A metric that relates two cells is computed from each pair of
 * runs with the same seed.
 */
function valuesOf(
  quantity: Quantity & Pick<Expectation, 'against'>,
  { cell, values }: CellValues,
  results: readonly CellValues[],
): readonly number[] {
  const own = values.get(quantityKey(measuredOf(quantity))) ?? [];
  const relative = relation(quantity.metric);
  if (relative === null) return own;
  const key = cellKey({ ...cell, ...quantity.against });
  const others = results.find((result) => cellKey(result.cell) === key)?.values;
  const other = others?.get(quantityKey(measuredOf(quantity))) ?? [];
  return own.map((value, run) => relative.relate(value, other[run] ?? NaN));
}

function measuredNumber(
  statistics: Statistics,
  quantity: Quantity & Pick<Expectation, 'against'>,
  result: CellValues,
  results: readonly CellValues[],
): MetricResult {
  return {
    name: quantity.metric,
    unit: METRICS.get(quantity.metric)?.unit ?? '1',
    ...(quantity.flow !== undefined && { flow: quantity.flow }),
    ...(quantity.window !== undefined && { window: quantity.window }),
    ...(quantity.path !== undefined && { path: quantity.path }),
    measured: statistics.summarise(valuesOf(quantity, result, results)),
  };
}

function judgeNumber(
  statistics: Statistics,
  expectation: Expectation,
  result: CellValues,
  claims: readonly ClaimResult[],
  results: readonly CellValues[],
): MetricResult & { verdict: Verdict } {
  const { published, says, where, read, band, why, note, claims: ids } = expectation;
  const number = measuredNumber(statistics, expectation, result, results);
  const about =
    typeof note === 'string' ? note : note?.find(({ cells }) => selects(cells, result.cell))?.text;
  const cases = (ids ?? []).map((id) => casesOf(claims, id, result.cell));
  return {
    ...number,
    published,
    publishedIs: expectation.published_is ?? 'number',
    ...(says !== undefined && { says }),
    where,
    read,
    band,
    why,
    ...(expectation.wider_than_rule !== undefined && { widerThanRule: expectation.wider_than_rule }),
    ...(about !== undefined && { note: about }),
    ...(ids !== undefined && { claims: ids }),
    verdict: verdictOf(number.measured.mean, band, cases),
  };
}

/** The quantities of a cell for which no value was published. */
function otherNumbers(
  statistics: Statistics,
  scenario: Scenario,
  result: CellValues,
  results: readonly CellValues[],
): MetricResult[] {
  const expected = (scenario.expectations ?? []).filter(({ cells }) => selects(cells, result.cell));
  const keys = new Set(expected.map(quantityKey));
  return quantitiesOf(scenario, result.cell)
    .filter((quantity) => !keys.has(quantityKey(quantity)))
    .map((quantity) => measuredNumber(statistics, quantity, result, results));
}

/** The cases of a claim that involve a cell. Other cases are no evidence about the cell. */
function casesOf(claims: readonly ClaimResult[], id: string, cell: CellParams): readonly ClaimCase[] {
  const cases = claims.find((claim) => claim.id === id)?.cases ?? [];
  return cases.filter(({ cells }) => cells.some((each) => cellKey(each) === cellKey(cell)));
}

function counted(verdicts: readonly Verdict[]): VerdictCounts {
  const counts: VerdictCounts = { within: 0, ordering: 0, off: 0 };
  for (const verdict of verdicts) counts[verdict]++;
  return counts;
}

/** How many numbers have each verdict. */
export function countVerdicts(experiments: readonly ExperimentResult[]): VerdictCounts {
  const metrics = experiments.flatMap(({ cells }) => cells.flatMap((cell) => cell.metrics));
  return counted(metrics.flatMap(({ verdict }) => verdict ?? []));
}
