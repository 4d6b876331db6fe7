/** What the runs of an experiment say of what was published: verdicts per number, claims that hold or not. */
import { cellKey, selects, type CellParams } from './cells.js';
import { METRICS, quantityKey, relation, type MetricUnit } from './metrics.js';
import { measuredOf, otherSide, quantitiesOf } from './measured.js';
import type { Claim, CompareClaim, Expectation, MonotoneClaim, Quantity, Scenario } from './scenario.js';
import { summarise, type Summary } from './statistics.js';

/**
 * `within`: the mean lies in the band. `ordering`: it does not, but what the paper claims of it
 * qualitatively holds. `off`: neither.
 */
export type Verdict = 'within' | 'ordering' | 'off';

/** What the runs of one cell gave: one number per run (NaN: none), by `quantityKey`. */
export interface CellValues {
  cell: CellParams;
  values: ReadonlyMap<string, readonly number[]>;
}

/** One number of an experiment. */
export interface MetricResult {
  name: string;
  unit: MetricUnit;
  /** What it is about, where it is not the default. */
  flow?: string;
  window?: string;
  path?: 'forward' | 'backward';
  measured: Summary;
  /** These are there if something was published. */
  published?: number;
  says?: string;
  where?: string;
  read?: Expectation['read'];
  band?: readonly [low: number, high: number];
  why?: string;
  note?: string;
  claims?: readonly string[];
  verdict?: Verdict;
}

/** One comparison of a claim. */
export interface ClaimCase {
  /** The cells that are compared. */
  cells: readonly CellParams[];
  /** The means, in the same order; the last one is the number where a number is compared with. */
  values: readonly number[];
  holds: boolean;
}

export interface ClaimResult {
  id: string;
  says: string;
  where: string;
  /** In every case; null if none of its cells has run. */
  holds: boolean | null;
  cases: readonly ClaimCase[];
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
  claims: readonly ClaimResult[];
}

export type VerdictCounts = Record<Verdict, number>;

/** The verdict for a mean. `claims` are the cases of the claims that belong to the number. */
export function verdictOf(
  mean: number,
  [low, high]: readonly [number, number],
  claims: readonly Pick<ClaimCase, 'holds'>[],
): Verdict {
  // Means of equal numbers may differ from them in the last digits.
  const rounding = 1e-9 * Math.max(Math.abs(low), Math.abs(high));
  if (mean >= low - rounding && mean <= high + rounding) return 'within';
  return Number.isFinite(mean) && claims.length > 0 && claims.every(({ holds }) => holds)
    ? 'ordering'
    : 'off';
}

/** The mean of a quantity in a cell; NaN if the cell has not run or gave nothing. */
class Means {
  readonly #cells: Map<string, CellValues>;
  constructor(results: readonly CellValues[]) {
    this.#cells = new Map(results.map((result) => [cellKey(result.cell), result]));
  }

  of(quantity: Quantity, cell: CellParams): number {
    return summarise(this.#cells.get(cellKey(cell))?.values.get(quantityKey(quantity)) ?? []).mean;
  }

  has(cell: CellParams): boolean {
    return this.#cells.has(cellKey(cell));
  }
}

/** Whether a claim holds for the means of the cells that have run. */
export function evaluateClaim(claim: Claim, results: readonly CellValues[]): ClaimResult {
  const means = new Means(results);
  const cells = results.map(({ cell }) => cell).filter((cell) => selects(claim.cells, cell));
  const cases = claim.kind === 'monotone' ? monotone(claim, cells, means) : compare(claim, cells, means);
  const holds = cases.length === 0 ? null : cases.every((each) => each.holds);
  return { id: claim.id, says: claim.says, where: claim.where, holds, cases };
}

function monotone(claim: MonotoneClaim, cells: readonly CellParams[], means: Means): ClaimCase[] {
  const groups = new Map<string, CellParams[]>();
  for (const cell of cells) {
    if (cell[claim.along] === undefined) continue;
    const { [claim.along]: _, ...others } = cell;
    const key = cellKey(others);
    groups.set(key, [...(groups.get(key) ?? []), cell]);
  }
  const sign = claim.direction === 'rising' ? 1 : -1;
  return [...groups.values()]
    .filter((group) => group.length > 1)
    .map((group) => {
      const values = group.map((cell) => means.of(claim, cell));
      const steps = values.slice(1).map((value, i) => sign * (value - (values[i] ?? NaN)));
      return { cells: group, values, holds: steps.every((step) => step >= -(claim.tolerance ?? 0)) };
    });
}

function compare(claim: CompareClaim, cells: readonly CellParams[], means: Means): ClaimCase[] {
  const { than } = claim;
  return cells.flatMap((cell) => {
    const left = means.of(claim, cell);
    if (typeof than === 'number')
      return [{ cells: [cell], values: [left, than], holds: compared(claim, left, than) }];
    const other = { ...cell, ...than.cell };
    const [quantity] = otherSide(claim);
    if (quantity === undefined || !means.has(other)) return [];
    const right = means.of(quantity, other) * (than.times ?? 1);
    return [{ cells: [cell, other], values: [left, right], holds: compared(claim, left, right) }];
  });
}

function compared({ is, tolerance = 0 }: CompareClaim, left: number, right: number): boolean {
  switch (is) {
    case '<':
      return left < right;
    case '<=':
      return left <= right;
    case '>':
      return left > right;
    case '>=':
      return left >= right;
    case '~':
      return Math.abs(left - right) <= tolerance;
  }
}

/** Everything that an experiment's runs say, in the order of the cells given. */
export function judge(scenario: Scenario, results: readonly CellValues[]): ExperimentResult {
  const claims = (scenario.claims ?? []).map((claim) => evaluateClaim(claim, results));
  return {
    id: scenario.id,
    title: scenario.title,
    ...(scenario.paper !== undefined && { paper: scenario.paper }),
    cells: results.map((result) => ({
      params: result.cell,
      metrics: judgeCell(scenario, result, claims, results),
    })),
    claims,
  };
}

/** What the runs of a cell gave for a quantity; for one of two cells, run by run. */
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

function judgeCell(
  scenario: Scenario,
  result: CellValues,
  claims: readonly ClaimResult[],
  results: readonly CellValues[],
): MetricResult[] {
  const measured = (quantity: Quantity & Pick<Expectation, 'against'>) => ({
    name: quantity.metric,
    unit: METRICS.get(quantity.metric)?.unit ?? '1',
    ...(quantity.flow !== undefined && { flow: quantity.flow }),
    ...(quantity.window !== undefined && { window: quantity.window }),
    ...(quantity.path !== undefined && { path: quantity.path }),
    measured: summarise(valuesOf(quantity, result, results)),
  });
  const expected = (scenario.expectations ?? []).filter(({ cells }) => selects(cells, result.cell));
  const keys = new Set(expected.map(quantityKey));
  const others = quantitiesOf(scenario, result.cell).filter((quantity) => !keys.has(quantityKey(quantity)));
  return [
    ...expected.map((expectation) => {
      const { published, says, where, read, band, why, note, claims: ids } = expectation;
      const number = measured(expectation);
      const cases = (ids ?? []).flatMap((id) => casesOf(claims, id, result.cell));
      return {
        ...number,
        published,
        ...(says !== undefined && { says }),
        where,
        read,
        band,
        why,
        ...(note !== undefined && { note }),
        ...(ids !== undefined && { claims: ids }),
        verdict: verdictOf(number.measured.mean, band, cases),
      };
    }),
    ...others.map(measured),
  ];
}

/** The cases of a claim that a cell is part of; all of them if it is part of none. */
function casesOf(claims: readonly ClaimResult[], id: string, cell: CellParams): readonly ClaimCase[] {
  const cases = claims.find((claim) => claim.id === id)?.cases ?? [];
  const mine = cases.filter(({ cells }) => cells.some((each) => cellKey(each) === cellKey(cell)));
  return mine.length > 0 ? mine : cases;
}

/** How many numbers got which verdict. */
export function countVerdicts(experiments: readonly ExperimentResult[]): VerdictCounts {
  const counts: VerdictCounts = { within: 0, ordering: 0, off: 0 };
  for (const { cells } of experiments) {
    for (const { verdict } of cells.flatMap(({ metrics }) => metrics)) {
      if (verdict !== undefined) counts[verdict]++;
    }
  }
  return counts;
}
