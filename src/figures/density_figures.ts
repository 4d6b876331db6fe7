/** What LCC has learnt: the joint density of one-way delay and sending rate (lcc-2018, Fig. 1). */
import type { Density } from '../core/density.js';
import { cellLabel } from '../scenario/cells.js';
import type { CellResults } from './cell_results.js';
import type { CurveFigure } from './figure.js';
import { selectedFlows } from '../scenario/metrics.js';
import type { Picture, Scenario } from '../scenario/scenario.js';

/**
 * The curve has a gap at each delay that LCC has hardly seen, since the expected rate has no meaning there. A delay
 * counts as hardly seen if its density (summed over all rates) is at most this fraction of the largest such density.
 */
const LEAST_MASS = 1e-3;

/** A figure for each flow: the density, and the rate that LCC expects at each delay (eq. 7). */
export function densityFigures(
  scenario: Scenario,
  picture: Extract<Picture, { kind: 'density' }>,
  cells: readonly CellResults[],
): CurveFigure[] {
  return cells.flatMap((cell) => {
    const groups = selectedFlows(cell.scenario, picture);
    const named = groups.flatMap(({ name, flows }) =>
      flows.map((flow, i) => ({ flow, name: flows.length > 1 ? `${name} ${i + 1}` : name })),
    );
    return named.flatMap(({ flow, name }) => {
      const density = cell.densities.get(flow);
      const about = [cellLabel(scenario, cell.params), named.length > 1 ? name : ''].filter(
        (part) => part !== '',
      );
      const title = [picture.title ?? 'Density of rate and delay', ...about].join(' – ');
      return density === undefined ? [] : [densityFigure(density, title)];
    });
  });
}

const rounded = (value: number, digits: number): number => Number(value.toPrecision(digits));

export function densityFigure({ ratesBps, delaysUs, values }: Density, title: string): CurveFigure {
  const x = delaysUs.map((us) => rounded(us / 1e3, 5));
  const y = ratesBps.map((bps) => rounded(bps / 1e3, 5));
  const rows = x.map((_, i) => values.subarray(i * y.length, (i + 1) * y.length));
  const masses = rows.map((row) => row.reduce((sum, value) => sum + value, 0));
  const most = Math.max(...masses);
  const peak = Math.max(...values);
  const points = rows.map((row, i): [number, number | null] => {
    const mass = masses[i] ?? 0;
    const weighted = row.reduce((sum, value, j) => sum + value * (y[j] ?? 0), 0);
    return [x[i] ?? NaN, mass > LEAST_MASS * most ? rounded(weighted / mass, 4) : null];
  });
  const ends = (axis: readonly number[]) => ({ min: axis[0] ?? 0, max: axis.at(-1) ?? 0 });
  return {
    kind: 'curves',
    title,
    x: { label: 'one-way delay', unit: 'ms', ...ends(x) },
    y: { label: 'sending rate', unit: 'kbps', ...ends(y) },
    series: [{ label: 'rate expected at this delay', colour: 1, points }],
    density: { x, y, values: Array.from(values, (value) => Math.round((1e3 * value) / peak) / 1e3) },
  };
}
