import { Chart, LinearScale, LineController, LineElement, PointElement } from 'chart.js';
import type { ChartConfiguration, ChartDataset, Plugin, Point, Scale } from 'chart.js';

import { attachGestures } from './gestures.js';
import type { ChartTheme, ColourName } from './theme.js';
import type { TimeAxis } from './time_axis.js';

Chart.register(LineController, LineElement, PointElement, LinearScale);

/** Columns of one trace table by name; all of the same length, in ascending time. NaN is absent. */
export type Columns = Readonly<Record<string, Float64Array>>;

/** One line or one kind of marker of a chart. */
export interface Series {
  id: string;
  label: string;
  /** What it is, in a sentence, for people who do not know the symbol. */
  description: string;
  /** The trace table that it is read from, and the columns that `value` needs besides the time. */
  table: string;
  columns: readonly string[];
  value(columns: Columns, row: number): number;
  /** A value as text with its unit. */
  format(value: number): string;
  colour: ColourName;
  look: 'line' | 'step' | 'dashed' | 'dotted' | 'points' | 'triangles-up' | 'triangles-down';
  width?: number;
  /** False for markers that may lie outside: the value axis does not stretch for them. */
  scaled?: boolean;
  /** `right` for the second value axis. */
  side?: 'left' | 'right';
}

export interface ValueAxis {
  /** Unit, shown at the axis. */
  unit: string;
  /** Converts a value into what the ticks show. */
  tick(value: number): string;
  /** The axis is at least this long; it grows with the data. */
  atLeast: readonly [min: number, max: number];
}

export interface TimeChartSpec {
  series: readonly Series[];
  left: ValueAxis;
  right?: ValueAxis;
  /** Chart.js plugins of this picture alone. */
  plugins?: Plugin<'line'>[];
}

const LEFT_WIDTH = 56;
const RIGHT_WIDTH = 34;
const POINTS: ReadonlySet<Series['look']> = new Set(['points', 'triangles-up', 'triangles-down']);
const DASH: Partial<Record<Series['look'], number[]>> = { dashed: [6, 4], dotted: [2, 3] };

/**
 * A picture over time: Chart.js without its animation, parsing and events, on a shared TimeAxis.
 * Give it rows that are already decimated to about its width (`set`), or let it grow (`append`),
 * then `draw`. It creates its canvas in `container`, which must be positioned.
 */
export class TimeChart {
  readonly series: readonly Series[];
  readonly canvas: HTMLCanvasElement;
  protected readonly chart: Chart<'line', Point[]>;
  readonly #axis: TimeAxis;
  readonly #cursor: HTMLElement;
  readonly #detach: (() => void)[] = [];
  readonly #spec: TimeChartSpec;

  constructor(container: HTMLElement, axis: TimeAxis, theme: ChartTheme, spec: TimeChartSpec) {
    this.#spec = spec;
    this.series = spec.series;
    this.#axis = axis;
    this.canvas = container.appendChild(document.createElement('canvas'));
    this.#cursor = container.appendChild(document.createElement('div'));
    this.#cursor.style.cssText = 'position:absolute;width:1px;pointer-events:none;display:none;background:currentColor;opacity:.55';
    this.chart = new Chart(this.canvas, configuration(spec));
    this.setTheme(theme);
    this.#detach.push(
      attachGestures(this.canvas, axis, () => this.#plotArea()),
      axis.subscribe((change) => change === 'cursor' && this.#placeCursor()),
    );
  }

  /** Width of the plot in CSS pixels: what `set`'s rows should be decimated to. */
  get plotWidth(): number {
    return Math.max(50, this.chart.chartArea.width);
  }

  /** The tables that this chart reads, each with the columns it needs (without the time). */
  get needs(): ReadonlyMap<string, readonly string[]> {
    const needs = new Map<string, string[]>();
    for (const { table, columns } of this.series) {
      const listed = needs.get(table) ?? needs.set(table, []).get(table) ?? [];
      for (const column of columns) if (!listed.includes(column)) listed.push(column);
    }
    return needs;
  }

  /** Replaces the rows of `table`. `columns` must contain `time_us`. */
  set(table: string, columns: Columns): void {
    this.#fill(table, columns, false);
  }

  /** Adds rows to those of `table`. They must not be older than the newest there. */
  append(table: string, columns: Columns): void {
    this.#fill(table, columns, true);
  }

  reset(): void {
    for (const dataset of this.chart.data.datasets) dataset.data = [];
    this.draw();
  }

  /** Redraws with the axis's window. */
  draw(): void {
    const x = this.chart.options.scales?.['x'];
    if (x) {
      x.min = this.#axis.window.fromUs / 1e6;
      x.max = this.#axis.window.toUs / 1e6;
    }
    this.chart.update('none');
    this.#placeCursor();
  }

  setTheme(theme: ChartTheme): void {
    for (const scale of Object.values(this.chart.options.scales ?? {})) {
      if (!scale?.ticks || !scale.grid) continue;
      scale.ticks.color = theme.text;
      scale.grid.color = theme.grid;
    }
    this.series.forEach(({ colour }, index) => {
      const dataset = this.chart.data.datasets[index];
      if (dataset) dataset.borderColor = dataset.backgroundColor = theme.colours[colour];
    });
    this.draw();
  }

  /** Whether the time is written under the chart; in a column of charts only the last needs it. */
  setTimeLabels(shown: boolean): void {
    const ticks = this.chart.options.scales?.['x']?.ticks;
    if (ticks) ticks.display = shown;
    this.draw();
  }

  setVisible(id: string, visible: boolean): void {
    this.chart.setDatasetVisibility(this.#index(id), visible);
  }

  isVisible(id: string): boolean {
    return this.chart.isDatasetVisible(this.#index(id));
  }

  /** Each series' last value at or before `timeUs`; NaN where it has none. */
  valuesAt(timeUs: number): Record<string, number> {
    const values: Record<string, number> = {};
    this.series.forEach(({ id }, index) => {
      values[id] = lastAt(this.chart.data.datasets[index]?.data ?? [], timeUs / 1e6);
    });
    return values;
  }

  destroy(): void {
    for (const detach of this.#detach) detach();
    this.chart.destroy();
    this.canvas.remove();
    this.#cursor.remove();
  }

  #index(id: string): number {
    const index = this.series.findIndex((series) => series.id === id);
    if (index < 0) throw new RangeError(`series: expected one of ${this.series.map((s) => s.id).join(', ')}, got ${id}`);
    return index;
  }

  #fill(table: string, columns: Columns, append: boolean): void {
    const time = columns['time_us'];
    if (!time) throw new RangeError(`columns of ${table}: expected time_us among ${Object.keys(columns).join(', ')}`);
    this.#spec.series.forEach((series, index) => {
      const dataset = this.chart.data.datasets[index];
      if (!dataset || series.table !== table || !series.columns.every((name) => name in columns)) return;
      const points: Point[] = append ? dataset.data : [];
      const sparse = POINTS.has(series.look);
      for (let row = 0; row < time.length; row++) {
        const y = series.value(columns, row);
        if (!sparse || !Number.isNaN(y)) points.push({ x: (time[row] ?? NaN) / 1e6, y });
      }
      dataset.data = points;
    });
  }

  #plotArea(): { left: number; right: number } {
    const box = this.canvas.getBoundingClientRect();
    return { left: box.left + this.chart.chartArea.left, right: box.left + this.chart.chartArea.right };
  }

  #placeCursor(): void {
    const time = this.#axis.cursorUs;
    const { fromUs, toUs } = this.#axis.window;
    const shown = time !== null && time >= fromUs && time <= toUs;
    this.#cursor.style.display = shown ? 'block' : 'none';
    if (!shown) return;
    const { left, width, top, height } = this.chart.chartArea;
    const offset = left + ((time - fromUs) / (toUs - fromUs)) * width;
    this.#cursor.style.transform = `translateX(${offset}px)`;
    Object.assign(this.#cursor.style, { left: '0', top: `${top}px`, height: `${height}px` });
  }
}

function lastAt(points: readonly Point[], x: number): number {
  let low = 0;
  let high = points.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((points[middle]?.x ?? Infinity) <= x) low = middle + 1;
    else high = middle;
  }
  return points[low - 1]?.y ?? NaN;
}

function dataset({ label, look, width, side }: Series): ChartDataset<'line', Point[]> {
  const marker = POINTS.has(look);
  const triangle = look.startsWith('triangles');
  return {
    label,
    data: [],
    yAxisID: side === 'right' ? 'right' : 'left',
    showLine: !marker,
    borderWidth: marker ? 0 : (width ?? 1.5),
    borderDash: DASH[look] ?? [],
    stepped: look === 'step',
    pointRadius: marker ? (triangle ? 4 : 1.6) : 0,
    pointStyle: triangle ? 'triangle' : 'circle',
    pointRotation: look === 'triangles-down' ? 180 : 0,
    pointHitRadius: 0,
    tension: 0,
  };
}

/** Seconds since the call began, as on a clock once there are minutes. */
export function formatTime(seconds: number): string {
  const sign = seconds < 0 ? '−' : '';
  const whole = Math.abs(seconds);
  const rest = (whole % 60).toFixed(Number.isInteger(Math.round(whole * 1000) / 1000) ? 0 : 1);
  return whole < 60 ? `${sign}${rest} s` : `${sign}${Math.floor(whole / 60)}:${rest.padStart(rest.includes('.') ? 4 : 2, '0')}`;
}

const FONT = { size: 11, family: 'system-ui, sans-serif' };

/** The data's range without series that are not to stretch the axis. */
function limits({ chart }: Scale, series: readonly Series[], side: 'left' | 'right', atLeast: ValueAxis['atLeast']) {
  let [min, max] = atLeast;
  const { min: from, max: to } = chart.scales['x'] ?? { min: -Infinity, max: Infinity };
  series.forEach((one, index) => {
    if (one.scaled === false || (one.side ?? 'left') !== side || !chart.isDatasetVisible(index)) return;
    for (const point of (chart.data.datasets[index]?.data ?? []) as { x: number; y: number }[]) {
      if (point.x < from || point.x > to) continue;
      if (point.y < min) min = point.y;
      if (point.y > max) max = point.y;
    }
  });
  return { min, max };
}

function valueScale(axis: ValueAxis, side: 'left' | 'right', series: readonly Series[]) {
  return {
    type: 'linear' as const,
    position: side,
    afterDataLimits: (scale: Scale) => void Object.assign(scale, limits(scale, series, side, axis.atLeast)),
    grid: { drawOnChartArea: side === 'left', drawTicks: false },
    border: { display: false },
    ticks: { maxTicksLimit: 5, padding: 6, font: FONT, callback: (value: string | number) => axis.tick(Number(value)) },
    afterFit: (scale: { width: number }) => {
      scale.width = side === 'left' ? LEFT_WIDTH : RIGHT_WIDTH;
    },
  };
}

function configuration(spec: TimeChartSpec): ChartConfiguration<'line', Point[]> {
  return {
    type: 'line',
    data: { datasets: spec.series.map(dataset) },
    plugins: spec.plugins ?? [],
    options: {
      animation: false,
      parsing: false,
      normalized: true,
      events: [],
      responsive: true,
      maintainAspectRatio: false,
      layout: { padding: { top: 6, right: spec.right ? 0 : RIGHT_WIDTH } },
      scales: {
        x: {
          type: 'linear',
          grid: { drawTicks: false },
          border: { display: false },
          ticks: {
            maxRotation: 0,
            autoSkipPadding: 24,
            padding: 4,
            font: FONT,
            includeBounds: false,
            callback: (value) => formatTime(Number(value)),
          },
        },
        left: valueScale(spec.left, 'left', spec.series),
        ...(spec.right ? { right: valueScale(spec.right, 'right', spec.series) } : {}),
      },
    },
  };
}
