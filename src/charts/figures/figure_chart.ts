import { BoxAndWiskers, BoxPlotController } from '@sgratzl/chartjs-chart-boxplot';
import {
  BarController,
  BarElement,
  CategoryScale,
  Chart,
  Legend,
  LinearScale,
  LineController,
  LineElement,
  LogarithmicScale,
  PointElement,
  Tooltip,
  type ChartConfiguration,
  type ChartOptions,
  type ScaleOptions,
  type TooltipItem,
} from 'chart.js';

import { describeFigure, type Bar, type Figure, type FigureAxis } from '../../figures/figure.js';
import type { ChartTheme } from '../theme.js';
import { colour, datasets } from './datasets.js';
import { folded } from './folded.js';
import { limits } from './limits.js';
import { overlay } from './overlay.js';

Chart.register(
  BarController,
  BarElement,
  BoxAndWiskers,
  BoxPlotController,
  CategoryScale,
  Legend,
  LinearScale,
  LineController,
  LineElement,
  LogarithmicScale,
  PointElement,
  Tooltip,
);

const FONT = { size: 12, family: 'system-ui, sans-serif' };
const LEGEND_MOST = 12;
const Y_WIDTH = 70;
/** The width of each further line of a y axis' title. */
const TITLE_LINE_WIDTH = 15;

/** The longest lines of an axis title, and of the name of a group, in characters. */
const TITLE_LINE = 30;
const GROUP_LINE = 12;

const axisTitle = ({ label, unit }: FigureAxis): string[] =>
  folded(unit === '' ? label : `${label} (${unit})`, TITLE_LINE);
const number = (value: number): string => String(Number(value.toPrecision(4)));

/** Gives all y axes with equally many lines of title the same width, so that stacked panels are aligned. */
const sameWidth =
  (lines: number) =>
  (scale: { width: number }): void =>
    void (scale.width = Y_WIDTH + (lines - 1) * TITLE_LINE_WIDTH);

function numericScale(
  axis: FigureAxis,
  theme: ChartTheme,
  more: object,
): ScaleOptions<'linear' | 'logarithmic'> {
  return {
    type: axis.logarithmic === true ? 'logarithmic' : 'linear',
    title: { display: true, text: axisTitle(axis), font: FONT, color: theme.text },
    grid: { color: theme.grid },
    border: { display: false },
    ticks: {
      font: FONT,
      color: theme.text,
      maxTicksLimit: 8,
      maxRotation: 0,
      autoSkipPadding: 6,
      // An end of the axis is labelled only if it is a round number.
      includeBounds: false,
      ...(axis.logarithmic === true ? { callback: (value: number | string) => number(Number(value)) } : {}),
    },
    ...more,
  };
}

function xScale(figure: Figure, theme: ChartTheme): ScaleOptions {
  if (figure.kind === 'curves') {
    const { min, max } = figure.x;
    return numericScale(figure.x, theme, {
      ...(min === undefined ? {} : { min }),
      ...(max === undefined ? {} : { max }),
    });
  }
  return {
    type: 'category',
    title: { display: true, text: figure.x, font: FONT, color: theme.text },
    grid: { display: false },
    ticks: {
      font: FONT,
      color: theme.text,
      autoSkip: false,
      maxRotation: 40,
      callback: (_, index) => folded(figure.groups[index] ?? '', GROUP_LINE),
    },
  };
}

/** The tooltip of a bar, with its standard deviation and the published value. */
function barText(label: string, { mean, sd, published }: Bar, unit: string): string {
  const spread = sd > 0 ? ` ± ${number(sd)}` : '';
  const value = published?.value === undefined ? '' : `, published ${number(published.value)}`;
  return `${label}: ${number(mean)}${spread}${unit === '' ? '' : ` ${unit}`}${value}`;
}

function tooltip(figure: Figure, { datasetIndex, dataIndex, parsed }: TooltipItem<'bar'>): string {
  const label = figure.series[datasetIndex]?.label ?? '';
  if (figure.kind === 'bars') {
    const bar = figure.series[datasetIndex]?.bars[dataIndex];
    return bar ? barText(label, bar, figure.y.unit) : label;
  }
  if (figure.kind === 'boxes') {
    const box = figure.series[datasetIndex]?.boxes[dataIndex];
    if (!box) return label;
    const { p5, p25, p50, p75, p95 } = box;
    return `${label}: ${[p5, p25, p50, p75, p95].map(number).join(' / ')} ${figure.y.unit}`;
  }
  return `${label}: ${number(parsed.y ?? NaN)} ${figure.y.unit}`;
}

function options(figure: Figure, theme: ChartTheme): ChartOptions<'bar'> {
  const many = figure.series.length;
  return {
    animation: false,
    responsive: true,
    maintainAspectRatio: false,
    normalized: true,
    color: theme.text,
    interaction: { mode: 'nearest', intersect: false },
    scales: {
      x: xScale(figure, theme),
      y: numericScale(figure.y, theme, {
        ...limits(figure),
        afterFit: sameWidth(axisTitle(figure.y).length),
      }),
    } as NonNullable<ChartOptions<'bar'>['scales']>,
    plugins: {
      legend: {
        display: many > 1 && many <= LEGEND_MOST,
        position: 'top',
        align: 'end',
        labels: {
          font: FONT,
          color: theme.text,
          boxWidth: 22,
          boxHeight: figure.kind === 'curves' ? 0 : 8,
          padding: 10,
        },
      },
      tooltip: { callbacks: { label: (item) => tooltip(figure, item) } },
    },
  };
}

/**
 * Draws a figure of a paper: the measured bars, boxes or curves, with the published values (diamonds) and bands
 * (shaded) on top. Creates its canvas in `container`, which must have a height.
 */
export class FigureChart {
  readonly canvas: HTMLCanvasElement;
  readonly #figure: Figure;
  #theme: ChartTheme;
  #pixelRatio: number | undefined;
  #chart: Chart;

  constructor(container: HTMLElement, figure: Figure, theme: ChartTheme) {
    this.#figure = figure;
    this.#theme = theme;
    this.canvas = container.appendChild(document.createElement('canvas'));
    this.canvas.setAttribute('role', 'img');
    this.canvas.setAttribute('aria-label', describeFigure(figure));
    this.#chart = new Chart(this.canvas, this.#configuration());
  }

  /**
   * Creates the chart again, since Chart.js keeps the colours of existing elements. A theme rarely changes. Series that
   * the user has hidden stay hidden.
   */
  setTheme(theme: ChartTheme): void {
    this.#theme = theme;
    const configuration = this.copy();
    this.#chart.destroy();
    this.#chart = new Chart(this.canvas, configuration);
  }

  #configuration(): ChartConfiguration {
    const [figure, theme] = [this.#figure, this.#theme];
    const pixelRatio = this.#pixelRatio;
    const list = datasets(figure);
    colour(figure, list, theme);
    return {
      type: figure.kind === 'curves' ? 'line' : 'bar',
      data: { ...(figure.kind === 'curves' ? {} : { labels: figure.groups }), datasets: list },
      options: { ...options(figure, theme), ...(pixelRatio && { devicePixelRatio: pixelRatio }) },
      plugins: [overlay(figure, theme)],
    };
  }

  /** A configuration that draws this figure, as it is now, on another canvas. */
  copy(): ChartConfiguration {
    const configuration = this.#configuration();
    configuration.data.datasets.forEach((dataset, index) => {
      dataset.hidden = !this.#chart.isDatasetVisible(index);
    });
    return configuration;
  }

  /** Fits the canvas to its container, as needed for printing. `pixelRatio` replaces the screen's pixel ratio. */
  resize(pixelRatio?: number): void {
    this.#pixelRatio = pixelRatio;
    this.#chart.options.devicePixelRatio = pixelRatio;
    this.#chart.resize();
  }

  destroy(): void {
    this.#chart.destroy();
    this.canvas.remove();
  }
}
