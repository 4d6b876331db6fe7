/** Lines of an earlier run or of another trace, drawn faintly behind the current ones. */
import type { ChartDataset, Point } from 'chart.js';

import { DASH, ghostLabel, MARKERS } from './configuration.js';
import type { TimedPoint } from './gaps.js';
import type { Columns, Series } from './series.js';
import type { ChartTheme } from './theme.js';

/** The opacity of a ghost, as two hexadecimal digits that are appended to a colour. */
const FAINT = '66';
/** The order of ghosts. Datasets with a higher order lie further back. */
const BEHIND = 1000;

/** Whether a series gets a ghost line from `rows`, which belong to the table `of`. */
export const isGhostly = ({ table, columns, look }: Series, of: string, rows: Columns): boolean =>
  table === of && !MARKERS.has(look) && columns.every((name) => name in rows);

export function ghostOf(series: Series, theme: ChartTheme, data: Point[]): ChartDataset<'line', Point[]> {
  const { id, look, side } = series;
  const ghost: ChartDataset<'line', Point[]> = {
    label: ghostLabel(id),
    data,
    order: BEHIND,
    yAxisID: side === 'right' ? 'right' : 'left',
    borderWidth: 1.5,
    borderDash: DASH[look] ?? [],
    stepped: look === 'step',
    pointRadius: 0,
    pointHitRadius: 0,
    tension: 0,
  };
  paintGhost(ghost, [series], theme);
  return ghost;
}

/** Gives a ghost the colour of its series. */
export function paintGhost(
  ghost: ChartDataset<'line', Point[]>,
  series: readonly Series[],
  theme: ChartTheme,
): void {
  const of = series.find(({ id }) => ghostLabel(id) === ghost.label);
  if (of !== undefined) ghost.borderColor = `${theme.colours[of.colour]}${FAINT}`;
}

/**
 * Lets the ghosts of series with `fromFirst` count from the left edge of the window, which is at `fromS`. A ghost may
 * have counted from another time before.
 */
export function countGhosts(
  datasets: readonly { label?: string; data: TimedPoint[] }[],
  series: readonly Series[],
  fromS: number,
): void {
  for (const { label, data } of datasets) {
    if (!series.find(({ id }) => ghostLabel(id) === label)?.fromFirst) continue;
    const known = data.filter(({ y }) => !Number.isNaN(y));
    const base = (known.findLast(({ x }) => x <= fromS) ?? known[0])?.y ?? 0;
    for (const point of data) point.y -= base;
  }
}
