/** A figure's series as Chart.js datasets. */
import type { ChartDataset } from 'chart.js';

import type { BarFigure, BoxFigure, CurveFigure, CurveLook, Figure } from '../../figures/figure.js';
import type { ChartTheme, ColourName } from '../theme.js';

const ORDER: readonly ColourName[] = ['blue', 'orange', 'green', 'red', 'purple', 'sky', 'grey'];
/** Once the colours are used up, series also differ by dash. */
const DASHES: readonly number[][] = [[], [6, 3], [2, 2]];
const DASHED = [7, 4];

export const colourOf = (series: number, { colours }: ChartTheme): string =>
  colours[ORDER[series % ORDER.length] ?? 'blue'];

type Dataset = ChartDataset;

function bars(figure: BarFigure): Dataset[] {
  return figure.series.map(({ label, bars: list }) => ({
    type: 'bar' as const,
    label,
    data: list.map((bar) => bar?.mean ?? null),
    categoryPercentage: 0.8,
    barPercentage: 0.82,
    maxBarThickness: 46,
    borderWidth: 1,
    minBarLength: 2,
  }));
}

function boxes(figure: BoxFigure): Dataset[] {
  return figure.series.map(({ label, boxes: list }) => ({
    type: 'boxplot' as const,
    label,
    data: list.map((box) =>
      box === null
        ? null
        : {
            min: box.p5,
            whiskerMin: box.p5,
            q1: box.p25,
            median: box.p50,
            mean: NaN,
            q3: box.p75,
            whiskerMax: box.p95,
            max: box.p95,
            items: [],
            outliers: [],
          },
    ),
    categoryPercentage: 0.8,
    barPercentage: 0.7,
    maxBarThickness: 46,
    borderWidth: 1.5,
    meanRadius: 0,
  }));
}

function dash(look: CurveLook, index: number, colour: number): number[] {
  if (look === 'dashed') return DASHED;
  // Steps are references, such as a capacity. They all have the same colour, so they differ only by dash.
  if (look === 'step') return DASHES[colour % DASHES.length] ?? [];
  return DASHES[Math.floor(index / ORDER.length) % DASHES.length] ?? [];
}

function curves(figure: CurveFigure): Dataset[] {
  return figure.series.map(({ label, look = 'line', points, colour: number }, index) => ({
    type: 'line' as const,
    label,
    data: points.map(([x, y]) => ({ x, y: y ?? NaN })),
    showLine: look !== 'markers',
    stepped: look === 'step',
    borderWidth: look === 'step' || look === 'dashed' ? 1.5 : 1.4,
    borderDash: dash(look, index, number ?? 0),
    // A few points are individual measurements, drawn with markers. Many points form a signal, drawn without markers.
    pointRadius: look === 'markers' ? 2.5 : points.length > 40 ? 0 : 3,
    pointHitRadius: 4,
    tension: 0,
  }));
}

/** One dataset for each series, in the order of the figure. */
export function datasets(figure: Figure): Dataset[] {
  if (figure.kind === 'bars') return bars(figure);
  return figure.kind === 'boxes' ? boxes(figure) : curves(figure);
}

/** Gives the datasets the theme's colours. */
export function colour(figure: Figure, list: ChartDataset[], theme: ChartTheme): void {
  list.forEach((dataset, index) => {
    const curve = figure.kind === 'curves' ? figure.series[index] : undefined;
    const line = curve?.look === 'step' ? theme.text : colourOf(curve?.colour ?? index, theme);
    const fill = figure.kind === 'curves' ? line : `${line}80`;
    Object.assign(dataset, {
      borderColor: line,
      backgroundColor: fill,
      medianColor: theme.colours.ink,
      pointBackgroundColor: line,
    });
  });
}
