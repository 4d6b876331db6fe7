/**
 * Finds a cell of a scenario (a combination of axis values) from the values that were chosen on single axes.
 * If a cell has no value on an axis, the empty string is used as its value.
 */
import type { CellParams } from '../scenario/cells.js';

const valueOf = (cell: CellParams, axis: string): string => cell[axis] ?? '';

/** The cell that has the most wanted values, or the first of several such cells. */
export function cellFor(cells: readonly CellParams[], wanted: CellParams): CellParams {
  let best: CellParams = {};
  let most = -1;
  for (const cell of cells) {
    const agrees = Object.keys(wanted).filter((axis) => valueOf(cell, axis) === wanted[axis]).length;
    if (agrees > most) [best, most] = [cell, agrees];
  }
  return best;
}

/** The cell with this value on `axis` that shares the most values with `cell` on the other axes. */
export function withAxis(
  cells: readonly CellParams[],
  cell: CellParams,
  axis: string,
  value: string,
): CellParams {
  const having = cells.filter((each) => valueOf(each, axis) === value);
  return cellFor(having, { ...cell, [axis]: value });
}

/** The choices whose axis or value does not exist, each with a description of the valid axes or values. */
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
        : 'no axis, since this scenario has only one cell';
    return [{ axis, value, expected }];
  });
}

/** The different values of the cells on an axis, in the order of the cells. */
export function valuesOf(cells: readonly CellParams[], axis: string): readonly string[] {
  return [...new Set(cells.map((cell) => valueOf(cell, axis)))];
}
