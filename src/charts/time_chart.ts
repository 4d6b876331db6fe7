import { Chart, LinearScale, LineController, LineElement, PointElement } from 'chart.js';
import type { ChartArea, ChartConfiguration, Point, UpdateMode } from 'chart.js';

import { at } from './columns.js';
import {
  configuration,
  expectedArea,
  ghostLabel,
  limits,
  MARKERS,
  type Range,
  type Side,
} from './configuration.js';
import { countGhosts, ghostOf, isGhostly, paintGhost } from './ghost.js';
import { addPoint, gapS, type TimedPoint } from './gaps.js';
import { attachGestures, type PlotArea } from './gestures.js';
import { MarkLayer, type ChartMark } from './marks.js';
import type { Columns, Series, TimeChartSpec } from './series.js';
import type { ChartTheme } from './theme.js';
import type { TimeAxis } from './time_axis.js';

Chart.register(LineController, LineElement, PointElement, LinearScale);

/**
 * A chart that Chart.js neither measures nor paints until `begin` is called. Otherwise each new chart would be
 * measured three times, each time with a layout of the page, and painted twice before it is painted with its data.
 */
class DeferredChart extends Chart<'line', Point[]> {
  // Without an initial value, which would be set only after the constructor of the base class has called `update`.
  declare hasBegun?: boolean;

  override resize(width?: number, height?: number): void {
    if (this.hasBegun) super.resize(width, height);
  }

  override update(mode?: UpdateMode): void {
    if (this.hasBegun) super.update(mode);
  }

  /** Fits the canvas to its container. From now on, the chart can be painted. */
  begin(): void {
    super.resize();
    this.hasBegun = true;
  }
}

/**
 * A chart over time, on a shared TimeAxis. It uses Chart.js without its animation, parsing and events. Pass rows that
 * are already decimated to about the chart's width (`set`), or add rows as they arrive (`append`), and then call
 * `draw`. The chart creates its canvas in `container`, which must have a CSS position.
 */
export class TimeChart {
  readonly series: readonly Series[];
  readonly canvas: HTMLCanvasElement;
  protected readonly chart: Chart<'line', Point[]> & { hasBegun?: boolean; begin(): void };
  readonly #axis: TimeAxis;
  readonly #cursor: HTMLElement;
  readonly #selection: HTMLElement;
  readonly #marks: MarkLayer;
  readonly #detach: (() => void)[] = [];
  readonly #spec: TimeChartSpec;
  #theme: ChartTheme;
  /** The value of each series at the left edge of the window; see `fromFirst`. */
  readonly #firstValues = new Map<string, number>();
  #peer: () => TimeChart | undefined = () => undefined;
  /** The ends of the value axes as they were last drawn. */
  readonly #drawnRanges: Partial<Record<Side, Range>> = {};

  constructor(container: HTMLElement, axis: TimeAxis, theme: ChartTheme, spec: TimeChartSpec) {
    this.#spec = spec;
    this.series = spec.series;
    this.#axis = axis;
    this.canvas = container.appendChild(document.createElement('canvas'));
    this.canvas.style.cssText = 'width:100%;height:100%';
    // Without a size of its own, Chart.js would measure the canvas.
    this.canvas.width = this.canvas.height = 1;
    this.#cursor = overlay(container, 'width:1px;opacity:.55');
    this.#selection = overlay(container, 'opacity:.15');
    this.#marks = new MarkLayer(container, axis);
    const plugins = [...(spec.plugins ?? []), this.#marks.plugin];
    const initial = configuration({ ...spec, plugins }, (side, chart) => {
      const range = this.#range(side, chart);
      if (chart === this.chart) this.#drawnRanges[side] = range;
      return range;
    });
    paint(initial, spec.series, theme);
    this.chart = new DeferredChart(this.canvas, initial);
    this.#theme = theme;
    this.#detach.push(
      attachGestures(
        this.canvas,
        axis,
        () => this.#plotArea(),
        (selection) => this.#showSelection(selection),
      ),
      axis.subscribe((change) => change === 'cursor' && this.#placeCursor()),
    );
  }

  /** Whether the chart has been drawn. */
  get isPainted(): boolean {
    return this.chart.hasBegun === true;
  }

  /** Width of the plot in CSS pixels. The rows for `set` should be decimated to this width. */
  get plotWidth(): number {
    return Math.max(50, this.#area.width);
  }

  /** The area of the plot within the canvas. */
  get #area(): ChartArea {
    // Chart.js sets the area when it lays out the chart for the first time.
    return this.chart.hasBegun ? this.chart.chartArea : expectedArea(this.canvas);
  }

  /** The largest distance between two rows of a table that a line connects, in seconds. */
  protected gapS(table: string): number {
    const { fromUs, toUs } = this.#axis.window;
    return gapS((toUs - fromUs) / 1e6, this.plotWidth, this.needs.get(table)?.length ?? 0);
  }

  /** The tables that this chart reads, each with the columns it needs (without the time). */
  get needs(): ReadonlyMap<string, readonly string[]> {
    const needs = new Map<string, string[]>();
    for (const { table, columns } of this.series)
      needs.set(table, [...new Set([...(needs.get(table) ?? []), ...columns])]);
    return needs;
  }

  /** Replaces the rows of `table`. `columns` must contain `time_us`. */
  set(table: string, columns: Columns): void {
    this.#fill(table, columns, false);
  }

  /** Adds rows to those of `table`. They must not be older than the table's newest row. */
  append(table: string, columns: Columns): void {
    this.#fill(table, columns, true);
  }

  /**
   * From the next `draw` on, shows rows of an earlier run or of another trace as faint lines behind the
   * current ones. Markers and strips are not shown this way.
   */
  setGhost(table: string, columns: Columns): void {
    const { datasets } = this.chart.data;
    this.#spec.series.forEach((series, index) => {
      if (!isGhostly(series, table, columns)) return;
      const points = this.#pointsOf(series, columns, ghostGapS(columns), [], 0);
      const ghost = ghostOf(series, this.#theme, points);
      ghost.hidden = !this.chart.isDatasetVisible(index);
      const at = datasets.findIndex(({ label }, n) => n >= this.series.length && label === ghost.label);
      datasets[at < 0 ? datasets.length : at] = ghost;
    });
  }

  clearGhost(): void {
    const { datasets } = this.chart.data;
    if (datasets.length === this.series.length) return;
    datasets.length = this.series.length;
    this.draw();
  }

  /** Removes all rows, from the next `draw` on. */
  reset(): void {
    for (const dataset of this.chart.data.datasets.slice(0, this.series.length)) dataset.data = [];
  }

  /** A configuration that draws this chart, as it is now, on another canvas. Its time axis always has labels. */
  copy(): ChartConfiguration<'line', Point[]> {
    const { options, plugins } = this.chart.config as ChartConfiguration<'line', Point[]>;
    const x = options?.scales?.['x'];
    const datasets = this.chart.data.datasets.map((dataset, index) => ({
      ...dataset,
      data: [...dataset.data],
      hidden: !this.chart.isDatasetVisible(index),
    }));
    const scales = { ...options?.scales, ...(x && { x: { ...x, ticks: { ...x.ticks, display: true } } }) };
    return {
      type: 'line',
      data: { datasets },
      ...(plugins && { plugins }),
      options: { ...options, scales },
    };
  }

  /** Redraws the chart for the current window of the axis. */
  draw(): void {
    const x = this.chart.options.scales?.['x'];
    if (x) {
      x.min = this.#axis.window.fromUs / 1e6;
      x.max = this.#axis.window.toUs / 1e6;
      countGhosts(this.chart.data.datasets as { data: TimedPoint[] }[], this.series, x.min);
    }
    if (!this.chart.hasBegun) this.chart.begin();
    this.chart.update('none');
    this.#placeCursor();
    this.#marks.place(this.#area);
  }

  /** From the next `draw` on, the value axes also fit the series of another chart; see `rescale`. */
  shareScales(peer: () => TimeChart | undefined): void {
    this.#peer = peer;
  }

  /** Draws the chart again if its value axes have to change because the chart that shares them has changed. */
  rescale(): void {
    const hasChanged = (Object.entries(this.#drawnRanges) as [Side, Range][]).some(([side, { min, max }]) => {
      const range = this.#range(side, this.chart);
      return range.min !== min || range.max !== max;
    });
    if (hasChanged) this.draw();
  }

  /**
   * Marks certain times from the next `draw` on. With `onChoose`, the marks have labels: buttons that call
   * `onChoose` with their mark. Marks that are close together share a label, which calls `onChoose` with the
   * first.
   */
  setMarks(marks: readonly ChartMark[], onChoose?: (mark: ChartMark) => void): void {
    this.#marks.set(marks, onChoose);
  }

  setTheme(theme: ChartTheme): void {
    this.#theme = theme;
    paint(this.chart, this.series, theme);
    this.draw();
  }

  /** Fits the canvas to its container. `pixelRatio` replaces the screen's pixel ratio, for example for printing. */
  resize(pixelRatio?: number): void {
    this.chart.options.devicePixelRatio = pixelRatio;
    this.chart.resize();
    this.#placeCursor();
    this.#marks.place(this.#area);
  }

  /**
   * From the next `draw` on, shows or hides the time labels under the chart. In a column of charts, only the last chart
   * needs them. Returns whether this changes anything.
   */
  setTimeLabels(shown: boolean): boolean {
    const ticks = this.chart.options.scales?.['x']?.ticks;
    if (!ticks || (ticks.display ?? true) === shown) return false;
    ticks.display = shown;
    return true;
  }

  setVisible(id: string, visible: boolean): void {
    this.chart.setDatasetVisibility(this.#index(id), visible);
    this.chart.data.datasets.forEach(({ label }, n) => {
      if (n >= this.series.length && label === ghostLabel(id)) this.chart.setDatasetVisibility(n, visible);
    });
  }

  isVisible(id: string): boolean {
    return this.chart.isDatasetVisible(this.#index(id));
  }

  /** The unit of the value axis that a series uses. */
  axisUnitOf(id: string): string {
    const isRight = this.series[this.#index(id)]?.side === 'right';
    return (isRight ? this.#spec.right?.unit : this.#spec.left.unit) ?? '';
  }

  /**
   * The points that are drawn for a series. `x` is in seconds; `y` is a value that the series' `format` accepts. A
   * `y` of NaN is a gap.
   */
  pointsOf(id: string): readonly Readonly<Point>[] {
    return this.chart.data.datasets[this.#index(id)]?.data ?? [];
  }

  /** Each series' last drawn value at or before `timeUs`; NaN if it has none. */
  valuesAt(timeUs: number): Record<string, number> {
    const last = (id: string): number =>
      this.pointsOf(id).findLast(({ x }) => (x ?? NaN) <= timeUs / 1e6)?.y ?? NaN;
    return Object.fromEntries(this.series.map(({ id }) => [id, last(id)]));
  }

  /**
   * Each series' value at `timeUs`, from the last row that `rowsOf` returns, not from a drawn row. NaN if there is no
   * row, or if the line has a gap at this time. `rowsOf` must return at least the last two rows of a series' table,
   * since a value may depend on the row before. For an unknown table, `rowsOf` must return no columns.
   */
  valuesIn(rowsOf: (table: string) => Columns, timeUs: number): Record<string, number> {
    const drawn = this.valuesAt(timeUs);
    const values = this.series.map((series) => {
      const columns = rowsOf(series.table);
      const row = (columns['time_us']?.length ?? 0) - 1;
      const ageS = (timeUs - at(columns, 'time_us', row)) / 1e6;
      const isGap = isConnected(series) && ageS > this.gapS(series.table) && Number.isNaN(drawn[series.id]);
      return [series.id, row < 0 || isGap ? NaN : series.value(columns, row) - this.#baseOf(series)] as const;
    });
    return Object.fromEntries(values);
  }

  destroy(): void {
    for (const detach of this.#detach) detach();
    this.chart.destroy();
    this.canvas.remove();
    this.#cursor.remove();
    this.#selection.remove();
    this.#marks.remove();
  }

  /** The ends of a value axis, for this chart or for a copy of it. */
  #range(side: Side, chart: Chart): Range {
    const own = this.#ownRange(side, chart);
    const peer = this.#peer();
    if (peer === undefined) return own;
    const other = peer.#ownRange(side, peer.chart);
    return { min: Math.min(own.min, other.min), max: Math.max(own.max, other.max) };
  }

  #ownRange(side: Side, chart: Chart): Range {
    return limits(chart, this.series, side, this.#spec[side]?.atLeast ?? [0, 0], this.#axis.window);
  }

  #index(id: string): number {
    const index = this.series.findIndex((series) => series.id === id);
    if (index < 0)
      throw new RangeError(`series: expected one of ${this.series.map((s) => s.id).join(', ')}, got ${id}`);
    return index;
  }

  #fill(table: string, columns: Columns, append: boolean): void {
    const time = columns['time_us'];
    if (!time)
      throw new RangeError(`columns of ${table}: expected time_us, got ${Object.keys(columns).join(', ')}`);
    const edge = time.findLastIndex((us) => us <= this.#axis.window.fromUs);
    this.#spec.series.forEach((series, index) => {
      const dataset = this.chart.data.datasets[index];
      if (!dataset || series.table !== table || !series.columns.every((name) => name in columns)) return;
      if (!append || dataset.data.length === 0)
        this.#firstValues.set(series.id, series.value(columns, Math.max(edge, 0)));
      const points = append ? (dataset.data as TimedPoint[]) : [];
      dataset.data = this.#pointsOf(series, columns, this.gapS(table), points);
    });
  }

  /** The number to subtract from each value of the series; see `fromFirst`. */
  #baseOf({ id, fromFirst = false }: Series): number {
    return fromFirst ? (this.#firstValues.get(id) ?? NaN) : 0;
  }

  /** Adds the points of the rows to `points`, and returns `points`. */
  #pointsOf(
    series: Series,
    columns: Columns,
    longestS: number,
    points: TimedPoint[],
    base = this.#baseOf(series),
  ): TimedPoint[] {
    const time = columns['time_us'] ?? new Float64Array();
    const sparse = MARKERS.has(series.look);
    const breaksAfterS = isConnected(series) ? longestS : Infinity;
    for (let row = 0; row < time.length; row++) {
      const y = series.value(columns, row) - base;
      if (!sparse || !Number.isNaN(y)) addPoint(points, { x: (time[row] ?? NaN) / 1e6, y }, breaksAfterS);
    }
    return points;
  }

  #plotArea(): PlotArea {
    const box = this.canvas.getBoundingClientRect();
    return { left: box.left + this.#area.left, right: box.left + this.#area.right };
  }

  #placeCursor(): void {
    const time = this.#axis.cursorUs;
    const { fromUs, toUs } = this.#axis.window;
    if (time === null || time < fromUs || time > toUs) return place(this.#cursor, null);
    const { left, width } = this.#area;
    const x = left + ((time - fromUs) / (toUs - fromUs)) * width;
    place(this.#cursor, { left: x, right: x + 1, ...this.#rows() });
  }

  #showSelection(selection: PlotArea | null): void {
    const { left } = this.canvas.getBoundingClientRect();
    const box = selection && { left: selection.left - left, right: selection.right - left, ...this.#rows() };
    place(this.#selection, box);
  }

  #rows(): { top: number; bottom: number } {
    const { top, bottom } = this.#area;
    return { top, bottom };
  }
}

/** Applies a theme's colours to a chart, or to a configuration. */
function paint(
  { data, options }: Pick<ChartConfiguration<'line', Point[]>, 'data' | 'options'>,
  series: readonly Series[],
  theme: ChartTheme,
): void {
  for (const scale of Object.values(options?.scales ?? {})) {
    if (!scale?.ticks || !scale.grid) continue;
    scale.ticks.color = theme.text;
    scale.grid.color = theme.grid;
  }
  series.forEach(({ colour }, index) => {
    const dataset = data.datasets[index];
    if (dataset) dataset.borderColor = dataset.backgroundColor = theme.colours[colour];
  });
  for (const ghost of data.datasets.slice(series.length)) paintGhost(ghost, series, theme);
}

/** Creates an element above the canvas. Moving the element does not redraw the chart. */
function overlay(container: HTMLElement, look: string): HTMLElement {
  const element = container.appendChild(document.createElement('div'));
  element.style.cssText = `position:absolute;left:0;display:none;pointer-events:none;background:currentColor;${look}`;
  return element;
}

function place(element: HTMLElement, box: (PlotArea & { top: number; bottom: number }) | null): void {
  element.style.display = box ? 'block' : 'none';
  if (!box) return;
  const { left, right, top, bottom } = box;
  element.style.transform = `translateX(${left}px)`;
  Object.assign(element.style, { width: `${right - left}px`, top: `${top}px`, height: `${bottom - top}px` });
}

/** Like `gapS`, for the rows of a ghost: they cover a whole run, and were decimated to about as many points as rows. */
function ghostGapS(columns: Columns): number {
  const time = columns['time_us'] ?? new Float64Array();
  const windowS = ((time.at(-1) ?? 0) - (time[0] ?? 0)) / 1e6;
  return gapS(windowS, Math.max(1, time.length), Object.keys(columns).length - 1);
}

/** Whether a line breaks where rows are missing. A step holds its value, and markers are not connected. */
const isConnected = ({ look }: Series): boolean => look !== 'step' && !MARKERS.has(look);
