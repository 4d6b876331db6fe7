/** A scenario's pictures, drawn from the results of its runs: the paper's figures, but with our measured values. */
import type { CellResults } from './cell_results.js';
import { selects } from '../scenario/cells.js';
import type { Figure } from './figure.js';
import { barFigures, boxFigures, lineFigures } from './metric_figures.js';
import type { Picture, Scenario } from '../scenario/scenario.js';
import { densityFigures } from './density_figures.js';
import { cdfFigure, kernelDensityFigure, timeFigures } from './trace_figures.js';

/** A picture, ready to be drawn. */
export interface PictureFigures {
  /** The title of all figures together; empty if each figure has its own title. */
  title: string;
  /** Columns of figures, side by side. A column is a stack of figures with the same x axis. */
  columns: Figure[][];
}

/** All pictures of a scenario. `cells` must not contain cells without a result. */
export function pictureFigures(scenario: Scenario, cells: readonly CellResults[]): PictureFigures[] {
  return (scenario.pictures ?? []).flatMap((picture) => {
    const shown = cells.filter(({ params }) => selects(picture.cells, params));
    const columns = columnsOf(scenario, picture, shown).filter((column) => column.length > 0);
    // In the other kinds of pictures, each figure already contains the picture's title.
    const title = picture.kind === 'time_series' ? (picture.title ?? '') : '';
    return columns.length === 0 ? [] : [{ title, columns }];
  });
}

const apart = (figures: readonly Figure[]): Figure[][] => figures.map((figure) => [figure]);

function columnsOf(scenario: Scenario, picture: Picture, cells: readonly CellResults[]): Figure[][] {
  switch (picture.kind) {
    case 'bars':
      return apart(barFigures(scenario, picture, cells));
    case 'boxes':
      return apart(boxFigures(scenario, picture, cells));
    case 'lines':
      return apart(lineFigures(scenario, picture, cells));
    case 'cdf':
      return apart(cdfFigure(scenario, picture, cells));
    case 'density':
      return apart(densityFigures(scenario, picture, cells));
    case 'kernel_density':
      return apart(kernelDensityFigure(scenario, picture, cells));
    case 'time_series':
      return timeFigures(scenario, picture, cells);
  }
}
