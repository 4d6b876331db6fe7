/**
 * Tests whether a paper's claim holds in the runs, given the random variation of the results. Run i has the same
 * seed in every cell, so runs are compared in pairs by Student's paired t-test (one-sided, 5 % level). "About
 * equal" requires two such tests, one for each side (D. J. Schuirmann, J. Pharmacokinet. Biopharm. 15, 1987).
 */
import { cellKey, selects, type CellParams } from './cells.js';
import { otherSide } from './measured.js';
import { quantityKey } from './metrics.js';
import type { Claim, CompareClaim, MonotoneClaim, Quantity } from './scenario.js';
import type { Statistics } from './summary.js';

/**
 * The results of the runs of one cell. `values` contains, by `quantityKey`, one number per run; NaN if a run
 * yielded no number.
 */
export interface CellValues {
  cell: CellParams;
  values: ReadonlyMap<string, readonly number[]>;
}

/** One comparison of a claim. */
export interface ClaimCase {
  /** The cells that are compared. */
  cells: readonly CellParams[];
  /**
   * The mean of each cell, in the order of `cells`. If the claim compares a quantity with a number, this number is
   * the last element.
   */
  values: readonly number[];
  /**
   * The p-value: the probability of results that support the claim at least this strongly, if the claim were
   * false. Null for a single run, which cannot be tested.
   */
  p: number | null;
  holds: boolean;
}

export interface ClaimResult {
  id: string;
  says: string;
  where: string;
  note?: string;
  /** Whether the claim holds in every case. Null if there is no case, because the cells of the claim were not run. */
  holds: boolean | null;
  cases: readonly ClaimCase[];
}

/**
 * The significance level. A claim that was tested holds only if its p-value is lower. At the customary 5 %, at most
 * one in twenty false claims holds by chance.
 */
export const SIGNIFICANCE_LEVEL = 0.05;

/** The results of all cells that have run, by cell and quantity. */
class Runs {
  readonly #cells: Map<string, CellValues>;

  constructor(results: readonly CellValues[]) {
    this.#cells = new Map(results.map((result) => [cellKey(result.cell), result]));
  }

  of(quantity: Quantity, cell: CellParams): readonly number[] {
    return this.#cells.get(cellKey(cell))?.values.get(quantityKey(quantity)) ?? [];
  }

  /** The numbers of a quantity in a cell, as one side of a comparison. */
  side(quantity: Quantity, cell: CellParams): Side {
    const all = [...(this.#cells.get(cellKey(cell))?.values.values() ?? [])];
    const hasRun = (run: number): boolean => all.some((values) => Number.isFinite(values[run]));
    return { metric: quantity.metric, values: this.of(quantity, cell), hasRun };
  }

  has(cell: CellParams): boolean {
    return this.#cells.has(cellKey(cell));
  }
}

/** The left value minus the right value of each run. */
const differences = (left: readonly number[], right: readonly number[]): number[] =>
  left.map((value, run) => value - (right[run] ?? NaN));

/** The runs in which a flow never converged. A run without any number has failed, and is not one of them. */
const neverConverged = ({ metric, values, hasRun }: Side): readonly boolean[] =>
  values.map((value, run) => metric === 'convergence_s' && Number.isNaN(value) && hasRun(run));

/**
 * Returns the sides of a comparison. If they are convergence times, a run in which a flow never converged counts with
 * the longest time of all sides. Without this rule, a controller that rarely converges, but then fast, would count as
 * faster than one that always converges.
 */
function withNeverConverged(sides: readonly Side[]): (readonly number[])[] {
  const longest = Math.max(...sides.flatMap(({ values }) => values.filter(Number.isFinite)));
  return sides.map((side) => {
    const never = neverConverged(side);
    return Number.isFinite(longest)
      ? side.values.map((value, run) => (never[run] === true ? longest : value))
      : side.values;
  });
}

/** One side of a comparison: the numbers of a metric, and whether a run has succeeded. */
interface Side {
  metric: string;
  values: readonly number[];
  hasRun: (run: number) => boolean;
}

type Tested = Pick<ClaimCase, 'p' | 'holds'>;

/** Statistical tests of differences, one difference per run. */
class Tests {
  constructor(private readonly statistics: Statistics) {}

  mean(values: readonly number[]): number {
    return this.statistics.summarise(values).mean;
  }

  /**
   * Whether the mean of the differences is significantly greater than zero. A single difference cannot be tested,
   * so only its sign counts.
   */
  above(values: readonly number[]): Tested {
    const p = this.statistics.tailProbability(values);
    return p === null ? { p, holds: this.mean(values) > 0 } : { p, holds: p < SIGNIFICANCE_LEVEL };
  }

  /** Whether the mean of the differences is significantly within ± the tolerance. */
  about(values: readonly number[], tolerance: number): Tested {
    const { mean, sd, n } = this.statistics.summarise(values);
    // Equal differences, or a single one, have no variation to test, so the mean decides. A mean equal to the
    // tolerance counts as within it.
    if (n > 0 && !(sd > 0)) {
      const holds = Math.abs(mean) <= tolerance;
      return { p: n > 1 ? Number(!holds) : null, holds };
    }
    const [a, b] = [
      this.above(values.map((value) => value + tolerance)),
      this.above(values.map((value) => tolerance - value)),
    ];
    // Both tests must be significant, so the larger p-value decides.
    const p = a.p === null || b.p === null ? null : Math.max(a.p, b.p);
    return { p, holds: a.holds && b.holds };
  }
}

/** Whether a claim holds in the cells that have run. */
export function evaluateClaimBy(
  statistics: Statistics,
  claim: Claim,
  results: readonly CellValues[],
): ClaimResult {
  const tests = new Tests(statistics);
  const runs = new Runs(results);
  const cells = results.map(({ cell }) => cell).filter((cell) => selects(claim.cells, cell));
  const cases =
    claim.kind === 'monotone' ? monotone(claim, cells, runs, tests) : compare(claim, cells, runs, tests);
  const holds = cases.length === 0 ? null : cases.every((each) => each.holds);
  const { id, says, where, note } = claim;
  return { id, says, where, ...(note !== undefined && { note }), holds, cases };
}

/**
 * The cases of a monotone claim. A case holds if two conditions are met: no step between the means of
 * neighbouring cells goes in the wrong direction by more than the tolerance, and the difference between the
 * first and the last cell is significant and in the claimed direction.
 */
function monotone(claim: MonotoneClaim, cells: readonly CellParams[], runs: Runs, tests: Tests): ClaimCase[] {
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
      const sides = withNeverConverged(group.map((cell) => runs.side(claim, cell)));
      const all = sides.map((side) => side.map((value) => sign * value));
      const values = all.map((each) => tests.mean(each));
      const steps = values.slice(1).map((value, i) => value - (values[i] ?? NaN));
      const ends = tests.above(differences(all.at(-1) ?? [], all[0] ?? []));
      const isSteady = steps.every((step) => step >= -(claim.tolerance ?? 0));
      return {
        cells: group,
        values: values.map((value) => sign * value),
        p: ends.p,
        holds: isSteady && ends.holds,
      };
    });
}

function compare(claim: CompareClaim, cells: readonly CellParams[], runs: Runs, tests: Tests): ClaimCase[] {
  const { than } = claim;
  return cells.flatMap((cell) => {
    if (typeof than === 'number') {
      const side = runs.side(claim, cell);
      const left = side.values;
      const values = [tests.mean(left), than];
      // The time of a run that never converged is above every number.
      if (claim.is !== '>' && neverConverged(side).includes(true))
        return [{ cells: [cell], values, p: left.length > 1 ? 1 : null, holds: false }];
      const tested = compared(
        claim,
        left,
        left.map(() => than),
        tests,
      );
      return [{ cells: [cell], values, ...tested }];
    }
    const other = { ...cell, ...than.cell };
    const [quantity] = otherSide(claim);
    if (quantity === undefined || !runs.has(other)) return [];
    const [left = [], measured = []] = withNeverConverged([
      runs.side(claim, cell),
      runs.side(quantity, other),
    ]);
    const right = measured.map((value) => value * (than.times ?? 1));
    return [
      {
        cells: [cell, other],
        values: [tests.mean(left), tests.mean(right)],
        ...compared(claim, left, right, tests),
      },
    ];
  });
}

function compared(
  { is, tolerance = 0 }: CompareClaim,
  left: readonly number[],
  right: readonly number[],
  tests: Tests,
): Tested {
  switch (is) {
    case '<':
      return tests.above(differences(right, left));
    case '>':
      return tests.above(differences(left, right));
    case '~':
      return tests.about(differences(left, right), tolerance);
  }
}
