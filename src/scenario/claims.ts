/**
 * Whether a paper's statement holds in the runs: not of the means alone, but against how much the runs scatter. Run i has
 * the same seed in every cell, so runs are compared in pairs (Student's paired t-test, one-sided, at the 5 % level;
 * "about equal" by two such tests, one for each side: D. J. Schuirmann, J. Pharmacokinet. Biopharm. 15, 1987).
 */
import { cellKey, selects, type CellParams } from './cells.js';
import { otherSide } from './measured.js';
import { quantityKey } from './metrics.js';
import type { Claim, CompareClaim, MonotoneClaim, Quantity } from './scenario.js';
import { summarise, tailProbability } from './statistics.js';

/** What the runs of one cell gave: one number per run (NaN: none), by `quantityKey`. */
export interface CellValues {
  cell: CellParams;
  values: ReadonlyMap<string, readonly number[]>;
}

/** One comparison of a claim. */
export interface ClaimCase {
  /** The cells that are compared. */
  cells: readonly CellParams[];
  /** The means, in the same order; the last one is the number where a number is compared with. */
  values: readonly number[];
  /** How probable runs that show it as clearly are if it is not so; null where a single run tests nothing. */
  p: number | null;
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

/** What would be seen by accident more often than this is not seen. */
const SIGNIFICANT = 0.05;

/** The runs of the cells that have run. */
class Runs {
  readonly #cells: Map<string, CellValues>;

  constructor(results: readonly CellValues[]) {
    this.#cells = new Map(results.map((result) => [cellKey(result.cell), result]));
  }

  of(quantity: Quantity, cell: CellParams): readonly number[] {
    return this.#cells.get(cellKey(cell))?.values.get(quantityKey(quantity)) ?? [];
  }

  has(cell: CellParams): boolean {
    return this.#cells.has(cellKey(cell));
  }
}

const mean = (values: readonly number[]): number => summarise(values).mean;

/** Run by run: by how much the left is more than the right. */
const differences = (left: readonly number[], right: readonly number[]): number[] =>
  left.map((value, run) => value - (right[run] ?? NaN));

type Tested = Pick<ClaimCase, 'p' | 'holds'>;

/** Whether differences are above zero, beyond what runs scatter by. One run says what it says, untested. */
function above(values: readonly number[]): Tested {
  const p = tailProbability(values);
  return p === null ? { p, holds: mean(values) > 0 } : { p, holds: p < SIGNIFICANT };
}

/** Both hold: the less probable one decides. */
function both(a: Tested, b: Tested): Tested {
  return { p: a.p === null || b.p === null ? null : Math.max(a.p, b.p), holds: a.holds && b.holds };
}

/** Whether differences are no larger than a tolerance, either way. */
function about(values: readonly number[], tolerance: number): Tested {
  const { sd, n } = summarise(values);
  // Runs that are all alike leave nothing to test, and what differs by exactly the tolerance is within it.
  if (n > 0 && !(sd > 0)) return { p: n > 1 ? 0 : null, holds: Math.abs(mean(values)) <= tolerance };
  return both(
    above(values.map((value) => value + tolerance)),
    above(values.map((value) => tolerance - value)),
  );
}

/** Whether a claim holds in the cells that have run. */
export function evaluateClaim(claim: Claim, results: readonly CellValues[]): ClaimResult {
  const runs = new Runs(results);
  const cells = results.map(({ cell }) => cell).filter((cell) => selects(claim.cells, cell));
  const cases = claim.kind === 'monotone' ? monotone(claim, cells, runs) : compare(claim, cells, runs);
  const holds = cases.length === 0 ? null : cases.every((each) => each.holds);
  return { id: claim.id, says: claim.says, where: claim.where, holds, cases };
}

/** No step of the means goes the other way by more than the tolerance, and the ends differ beyond the scatter. */
function monotone(claim: MonotoneClaim, cells: readonly CellParams[], runs: Runs): ClaimCase[] {
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
      const all = group.map((cell) => runs.of(claim, cell).map((value) => sign * value));
      const values = all.map(mean);
      const steps = values.slice(1).map((value, i) => value - (values[i] ?? NaN));
      const ends = above(differences(all.at(-1) ?? [], all[0] ?? []));
      const isSteady = steps.every((step) => step >= -(claim.tolerance ?? 0));
      return {
        cells: group,
        values: values.map((value) => sign * value),
        p: ends.p,
        holds: isSteady && ends.holds,
      };
    });
}

function compare(claim: CompareClaim, cells: readonly CellParams[], runs: Runs): ClaimCase[] {
  const { than } = claim;
  return cells.flatMap((cell) => {
    const left = runs.of(claim, cell);
    if (typeof than === 'number')
      return [
        {
          cells: [cell],
          values: [mean(left), than],
          ...compared(
            claim,
            left,
            left.map(() => than),
          ),
        },
      ];
    const other = { ...cell, ...than.cell };
    const [quantity] = otherSide(claim);
    if (quantity === undefined || !runs.has(other)) return [];
    const right = runs.of(quantity, other).map((value) => value * (than.times ?? 1));
    return [{ cells: [cell, other], values: [mean(left), mean(right)], ...compared(claim, left, right) }];
  });
}

function compared(
  { is, tolerance = 0 }: CompareClaim,
  left: readonly number[],
  right: readonly number[],
): Tested {
  switch (is) {
    case '<':
      return above(differences(right, left));
    case '>':
      return above(differences(left, right));
    case '~':
      return about(differences(left, right), tolerance);
  }
}
