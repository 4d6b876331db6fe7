/**
 * Finds a cell when its axes are chosen one by one. If a cell omits an axis, its value on that axis is the empty
 * text.
 */
import type { CellParams } from '../scenario/cells.js';

const valueOf = (cell: CellParams, axis: string): string => cell[axis] ?? '';

/** The cell with the largest number of wanted values; the first such cell if there are several. */
export function cellFor(cells: readonly CellParams[], wanted: CellParams): CellParams {
  let best: CellParams = {};
  let most = -1;
  for (const cell of cells) {
    const agrees = Object.keys(wanted).filter((axis) => valueOf(cell, axis) === wanted[axis]).length;
    if (agrees > most) [best, most] = [cell, agrees];
  }
  return best;
}

/** Among the cells with this value on `axis`, the one that agrees best with `cell` on the other axes. */
export function withAxis(
  cells: readonly CellParams[],
  cell: CellParams,
  axis: string,
  value: string,
): CellParams {
  const having = cells.filter((each) => valueOf(each, axis) === value);
  return cellFor(having, { ...cell, [axis]: value });
}

/** The choices that name an axis or a value that does not exist, each with the values that were expected. */
export function wrongChoices(
  cells: readonly CellParams[],
  chosen: CellParams,
): { axis: string; value: string; expected: string }[] {
  const axes = [...new Set(cells.flatMap((cell) => Object.keys(cell)))];
  return Object.entries(chosen).flatMap(([axis, value]) => {
    const values = valuesOf(cells, axis);
    if (axes.includes(axis) && values.includes(value)) return [];
    const expected = axes.includes(axis)
      ? `one of ${values.join(', ')}`
      : axes.length > 0
        ? `an axis of this scenario (${axes.join(', ')})`
        : 'nothing of the kind: this scenario has one cell';
    return [{ axis, value, expected }];
  });
}

/** The values that the cells have on an axis, in the order of the cells. */
export function valuesOf(cells: readonly CellParams[], axis: string): readonly string[] {
  return [...new Set(cells.map((cell) => valueOf(cell, axis)))];
}
