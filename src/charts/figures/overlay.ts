/**
 * Draws the parts of a figure that Chart.js does not: a density below the curves, and standard deviations and
 * published values on top of the measured data.
 */
import type { Chart, Plugin, Scale } from 'chart.js';

import type { CurveFigure, Figure, PublishedMark } from '../../figures/figure.js';
import type { ChartTheme } from '../theme.js';
import { colourOf } from './datasets.js';

/** Half the width of a band at an element that has no width itself, such as a point. */
const POINT_HALF_WIDTH = 7;
const DIAMOND = 5;
const CAP = 3;
const MARGIN = 8;

interface Placed {
  x: number;
  halfWidth: number;
}

/** The position of element `index` of a dataset; null if the element is hidden or missing. */
function place(chart: Chart, dataset: number, index: number): Placed | null {
  if (!chart.isDatasetVisible(dataset)) return null;
  const element = chart.getDatasetMeta(dataset).data[index];
  if (!element) return null;
  const { x, width } = element.getProps(['x', 'width'], true) as { x: number; width?: number };
  return { x, halfWidth: width === undefined ? POINT_HALF_WIDTH : width / 2 };
}

class Painter {
  readonly #ctx: CanvasRenderingContext2D;
  constructor(
    readonly chart: Chart,
    readonly y: Scale,
    readonly theme: ChartTheme,
  ) {
    this.#ctx = chart.ctx;
  }

  /**
   * Draws the band of values that count as reproduced. If a limit is missing, the band extends to the edge of the
   * plot on that side.
   */
  band({ x, halfWidth }: Placed, mark: PublishedMark, fill: string = this.theme.colours.ink): void {
    const { low = null, high = null } = mark;
    if (low === null && high === null) return;
    const { top, bottom } = this.chart.chartArea;
    const clamp = (pixel: number): number => Math.min(bottom, Math.max(top, pixel));
    const from = high === null ? top : clamp(this.y.getPixelForValue(high));
    const to = low === null ? bottom : clamp(this.y.getPixelForValue(low));
    // The band is narrower than a bar, so that the bar's colour stays visible beside it.
    const half = Math.min(POINT_HALF_WIDTH, Math.max(3, 0.45 * halfWidth));
    const left = x - half;
    const width = 2 * half;
    this.#ctx.globalAlpha = 0.28;
    this.#ctx.fillStyle = fill;
    this.#ctx.fillRect(left, from, width, Math.max(2, to - from));
    this.#ctx.globalAlpha = 0.8;
    // Draws the band's edges, except at a limit outside the plot: the band continues there.
    for (const limit of [low, high]) {
      const edge = limit === null ? NaN : this.y.getPixelForValue(limit);
      if (edge >= top - 1 && edge <= bottom + 1) this.#ctx.fillRect(left, edge - 0.75, width, 1.5);
    }
    this.#ctx.globalAlpha = 1;
  }

  /**
   * Draws the published value as a diamond. Pass the colour of the series as `fill` if several series can have
   * diamonds at the same x.
   */
  diamond({ x }: Placed, value: number, fill: string = this.theme.colours.ink): void {
    const y = this.y.getPixelForValue(value);
    const ctx = this.#ctx;
    ctx.beginPath();
    ctx.moveTo(x, y - DIAMOND);
    ctx.lineTo(x + DIAMOND, y);
    ctx.lineTo(x, y + DIAMOND);
    ctx.lineTo(x - DIAMOND, y);
    ctx.closePath();
    ctx.fillStyle = fill;
    ctx.strokeStyle = this.theme.colours.ink;
    ctx.lineWidth = 1.5;
    ctx.stroke();
    ctx.fill();
  }

  mark(placed: Placed, mark: PublishedMark, fill?: string): void {
    this.band(placed, mark, fill);
    if (mark.value !== undefined) this.diamond(placed, mark.value, fill);
  }

  /** Draws a whisker from one standard deviation below the mean to one above. */
  whisker({ x }: Placed, mean: number, sd: number): void {
    if (!(sd > 0)) return;
    const [from, to] = [this.y.getPixelForValue(mean + sd), this.y.getPixelForValue(mean - sd)];
    const ctx = this.#ctx;
    ctx.strokeStyle = this.theme.colours.ink;
    ctx.lineWidth = 1.2;
    ctx.beginPath();
    ctx.moveTo(x, from);
    ctx.lineTo(x, to);
    for (const end of [from, to]) {
      ctx.moveTo(x - CAP, end);
      ctx.lineTo(x + CAP, end);
    }
    ctx.stroke();
  }

  /**
   * Calls `draw` with drawing clipped to the plot and a margin around it, so that marks at the plot's edge are
   * drawn whole.
   */
  clipped(draw: () => void): void {
    const { left, top, width, height } = this.chart.chartArea;
    this.#ctx.save();
    this.#ctx.beginPath();
    this.#ctx.rect(left - MARGIN, top - MARGIN, width + 2 * MARGIN, height + 2 * MARGIN);
    this.#ctx.clip();
    draw();
    this.#ctx.restore();
  }
}

/**
 * The exponent of the mapping from density to darkness. With 1 (proportional), low densities would hardly be visible.
 */
const DENSITY_EXPONENT = 0.6;
const LEAST_SEEN = 0.004;

/** Draws each point of the density as a rectangle that extends halfway to its neighbours. */
function paintDensity(
  ctx: CanvasRenderingContext2D,
  scales: { x: Scale; y: Scale },
  { density }: CurveFigure,
  theme: ChartTheme,
): void {
  if (density === undefined) return;
  const { x, y, values } = density;
  const edges = (scale: Scale, points: readonly number[]): number[] => {
    const [first = 0, last = 0] = [points[0], points.at(-1)];
    const steps = Math.max(1, points.length - 1);
    const at = (place: number): number =>
      scale.type === 'logarithmic'
        ? first * (last / first) ** (place / steps)
        : first + ((last - first) * place) / steps;
    return Array.from({ length: points.length + 1 }, (_, i) =>
      Math.round(scale.getPixelForValue(at(i - 0.5))),
    );
  };
  const [across, down] = [edges(scales.x, x), edges(scales.y, y)];
  ctx.save();
  ctx.beginPath();
  ctx.rect(scales.x.left, scales.y.top, scales.x.right - scales.x.left, scales.y.bottom - scales.y.top);
  ctx.clip();
  ctx.fillStyle = theme.colours.blue;
  values.forEach((value, index) => {
    if (value < LEAST_SEEN) return;
    const [i, j] = [Math.floor(index / y.length), index % y.length];
    const [left = 0, right = 0, bottom = 0, top = 0] = [across[i], across[i + 1], down[j], down[j + 1]];
    ctx.globalAlpha = value ** DENSITY_EXPONENT;
    ctx.fillRect(left, top, right - left, bottom - top);
  });
  ctx.restore();
}

function paint(painter: Painter, figure: Figure): void {
  const { chart } = painter;
  if (figure.kind === 'bars') {
    figure.series.forEach(({ bars }, dataset) =>
      bars.forEach((bar, index) => {
        const placed = bar && place(chart, dataset, index);
        if (!placed) return;
        if (bar.published) painter.mark(placed, bar.published);
        painter.whisker(placed, bar.mean, bar.sd);
      }),
    );
  } else if (figure.kind === 'boxes') {
    figure.series.forEach(({ boxes }, dataset) =>
      boxes.forEach((box, index) => {
        const placed = box && place(chart, dataset, index);
        if (placed) for (const { mark } of box.published ?? []) painter.mark(placed, mark);
      }),
    );
  } else {
    figure.series.forEach(({ points, sd }, dataset) =>
      sd?.forEach((deviation, index) => {
        const placed = place(chart, dataset, index);
        const y = points[index]?.[1];
        if (placed && y != null) painter.whisker(placed, y, deviation);
      }),
    );
    const x = chart.scales['x'];
    for (const mark of figure.published ?? []) {
      const colour = colourOf(figure.series[mark.series]?.colour ?? mark.series, painter.theme);
      if (x) painter.mark({ x: x.getPixelForValue(mark.x), halfWidth: POINT_HALF_WIDTH }, mark, colour);
    }
  }
}

/** The plugin for one figure. */
export function overlay(figure: Figure, theme: ChartTheme): Plugin {
  return {
    id: 'published',
    beforeDatasetsDraw: (chart) => {
      const [x, y] = [chart.scales['x'], chart.scales['y']];
      if (x && y && figure.kind === 'curves') paintDensity(chart.ctx, { x, y }, figure, theme);
    },
    afterDatasetsDraw: (chart) => {
      const y = chart.scales['y'];
      if (!y) return;
      const painter = new Painter(chart, y, theme);
      painter.clipped(() => paint(painter, figure));
    },
  };
}
