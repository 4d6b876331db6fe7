/** Which cell is meant where axes are chosen one by one. A value is empty where a cell leaves an axis out. */
import type { CellParams } from '../scenario/cells.js';

const valueOf = (cell: CellParams, axis: string): string => cell[axis] ?? '';

/** The cell that agrees with most of what is wanted; of several the first. */
export function cellFor(cells: readonly CellParams[], wanted: CellParams): CellParams {
  let best: CellParams = {};
  let most = -1;
  for (const cell of cells) {
    const agrees = Object.keys(wanted).filter((axis) => valueOf(cell, axis) === wanted[axis]).length;
    if (agrees > most) [best, most] = [cell, agrees];
  }
  return best;
}

/** The cell that has this value, and agrees with `cell` as far as there is one. */
export function withAxis(
  cells: readonly CellParams[],
  cell: CellParams,
  axis: string,
  value: string,
): CellParams {
  const having = cells.filter((each) => valueOf(each, axis) === value);
  return cellFor(having, { ...cell, [axis]: value });
}

/** What was chosen of an axis or a value that there is not, and what there is. */
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

/** The values of an axis that there are, in the order of the cells. */
export function valuesOf(cells: readonly CellParams[], axis: string): readonly string[] {
  return [...new Set(cells.map((cell) => valueOf(cell, axis)))];
}
