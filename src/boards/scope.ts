/**
 * A scope keeps the charts in step with the trace. It requests rows from the trace worker, thinned to each chart's
 * width. It paints only the charts in view, and spends only a limited time on painting in each frame.
 */
import { signal, type ReadonlySignal, type Signal } from '@preact/signals';

import {
  TimeAxis,
  type ChartMark,
  type ChartTheme,
  type TimeChart,
  type TimeWindow,
} from '../charts/index.js';
import type { TraceExtent } from '../trace/index.js';
import type { TraceStore } from '../worker/trace/trace_client.js';
import { ChartsInView } from './charts_in_view.js';
import { chosenRows, rowsFor, type Filters } from './filters.js';
import { Ghosts } from './ghosts.js';

const REFRESH_MS = 100;
/** A series reads its value from a row and the row before it. */
const READ_ROWS = 2;
/** Once painting has taken this long in a frame, the next chart waits for another frame. */
const FRAME_MS = 6;
/**
 * Once work for `inFrame`, or painting charts for the first time, has taken this long in a frame, the rest waits for
 * another frame. The browser lays out the page after each frame, which on a slow machine takes longer than creating a
 * chart, and about as long as painting it.
 */
const WORK_MS = 100;
/**
 * After a redraw, the charts do not follow new rows for this multiple of the time that painting took. So the
 * page stays responsive on slow machines, too. Changes by the user, such as moving the window, are drawn at
 * once.
 */
const REST = 2;

export type MakeChart = (container: HTMLElement, axis: TimeAxis, theme: ChartTheme) => TimeChart;

/** The source of a scope's rows. */
export interface ScopeSource {
  readonly store: Pick<TraceStore, 'view' | 'extent'>;
  /** The newest time in the trace, microseconds. */
  newestUs(): number;
  /**
   * The time budget for drawing charts in one frame. Once it is used up, the next chart waits for another
   * frame. Default: 6 ms.
   */
  readonly frameMs?: number;
  /**
   * Resolves when the rows with which the page opens have been loaded. No chart is drawn before that, since each chart
   * would first be drawn empty.
   */
  readonly firstRows?: Promise<unknown>;
  /** Called after a chart was painted, with the time that painting took on the page's main thread. */
  readonly painted?: (costMs: number) => void;
}

/** The visible time range, as settings store it. `from_s` matters only while `paused`. */
export interface ShownTime {
  window_s: number;
  from_s: number;
  paused: boolean;
}

export class Scope {
  readonly axis: TimeAxis;
  /** The values of all series, by their ids: at the cursor or, without a cursor, at the end of the window. */
  readonly values = signal<Readonly<Record<string, number>>>({});
  readonly cursorUs = signal<number | null>(null);
  /** The time at which the cursor is held; null if it only follows the pointer. */
  readonly heldUs = signal<number | null>(null);
  readonly following = signal(true);
  readonly windowS = signal(0);
  /** Start of the window, microseconds. */
  readonly fromUs = signal(0);
  /** What happened at the time under the cursor, in words; null if the page explains nothing. */
  readonly said = signal<string | null>(null);
  /** Whether faint lines show the charts as they were before the last change. */
  readonly hasKeptGhost = signal(false);
  /** The number of times that the rows were replaced. */
  readonly version = signal(0);
  readonly #charts = new Set<TimeChart>();
  readonly #stale = new Set<TimeChart>();
  readonly #works = new Set<() => void>();
  readonly #ghosts: Ghosts;
  /** Another trace with the same clock, whose lines are drawn behind the lines of this trace. */
  #beside: ScopeSource['store'] | null = null;
  /** Charts with rows that are not painted yet. */
  readonly #unpainted = new Set<TimeChart>();
  readonly #seen = new ChartsInView((chart) => {
    this.#paint(chart);
    // While this chart was out of view, the twin's chart that has the same value scales may have changed.
    chart.rescale();
  });
  /** Settles when all stale charts have been drawn; null if there are none. */
  #pumping: Promise<void> | null = null;
  /** The time spent on painting charts since #pump last began. */
  #paintedMs = 0;
  /** The charts do not follow new rows until performance.now() reaches this time. */
  #restUntilMs = 0;
  #valuesStale = false;
  /** Whether the values are being read. Until they have been read, no other read begins. */
  #isReading = false;
  #isClosed = false;
  /** Another scope, whose charts have the same value scales as this scope's charts of the same kind. */
  #twin: Scope | null = null;
  #filters: Filters = {};
  #marks: readonly ChartMark[] = [];
  readonly #theme: Signal<ChartTheme>;
  readonly #timer: ReturnType<typeof setInterval>;

  /** `remember` is called with the visible range when it changes. */
  constructor(
    private readonly source: ScopeSource,
    { window_s, from_s, paused }: ShownTime,
    theme: ChartTheme,
    private readonly remember: (shown: ShownTime) => void,
  ) {
    this.#theme = signal(theme);
    this.#ghosts = new Ghosts(source.store);
    this.axis = new TimeAxis(window_s * 1e6, !paused);
    if (paused) this.axis.setWindow({ fromUs: from_s * 1e6, toUs: (from_s + window_s) * 1e6 });
    this.following.value = !paused;
    this.windowS.value = window_s;
    this.fromUs.value = this.axis.window.fromUs;
    this.axis.subscribe((what) => {
      if (what === 'window') this.#charts.forEach((chart) => this.refresh(chart));
      this.#valuesStale = true;
      this.cursorUs.value = this.axis.cursorUs;
      this.heldUs.value = this.axis.heldUs;
      this.following.value = this.axis.following;
      if (what === 'window') this.#remember();
    });
    this.#timer = setInterval(() => this.#tick(), REFRESH_MS);
  }

  /** Ends the scope: stops its timer, and drops the charts that wait to be read and drawn again. */
  close(): void {
    clearInterval(this.#timer);
    this.#isClosed = true;
    this.#seen.close();
    this.#stale.clear();
  }

  #remember(): void {
    const { fromUs } = this.axis.window;
    const window_s = Math.round(this.axis.lengthUs / 1e4) / 100;
    const paused = !this.axis.following;
    const from_s = paused ? Math.round(fromUs / 1e4) / 100 : 0;
    this.windowS.value = window_s;
    this.fromUs.value = fromUs;
    this.remember({ window_s, paused, from_s });
  }

  /**
   * Runs work that takes much of a frame, such as creating a chart, in one of the next frames. Returns a function that
   * cancels the work.
   */
  inFrame(work: () => void): () => void {
    this.#works.add(work);
    if (this.#works.size === 1) requestAnimationFrame(this.#work);
    return () => void this.#works.delete(work);
  }

  readonly #work = (): void => {
    const began = performance.now();
    for (const work of this.#works) {
      if (performance.now() - began > WORK_MS) return void requestAnimationFrame(this.#work);
      this.#works.delete(work);
      work();
    }
  };

  /** Puts a chart into a container. Returns the chart and a function that removes it. */
  add(container: HTMLElement, make: MakeChart): { chart: TimeChart; remove(): void } {
    const chart = make(container, this.axis, this.#theme.peek());
    this.#ghosts.give(chart);
    chart.shareScales(() => (this.#twin === null ? undefined : this.#twin.#like(chart)));
    this.#charts.add(chart);
    this.#seen.add(chart);
    if (this.#beside !== null) void this.#readGhosts(this.#beside);
    this.#mark();
    this.refresh(chart);
    const remove = (): void => {
      this.#charts.delete(chart);
      this.#seen.delete(chart);
      this.#stale.delete(chart);
      this.#unpainted.delete(chart);
      chart.destroy();
      this.#mark();
    };
    return { chart, remove };
  }

  /**
   * Gives the charts of the same kind in both scopes the same value scales. Returns a function that separates the
   * scopes again.
   */
  shareScales(other: Scope): () => void {
    this.#setTwin(other);
    other.#setTwin(this);
    return () => {
      this.#setTwin(null);
      other.#setTwin(null);
    };
  }

  #setTwin(twin: Scope | null): void {
    this.#twin = twin;
    this.#rescale();
  }

  #like(chart: TimeChart): TimeChart | undefined {
    return [...this.#charts].find((other) => other.constructor === chart.constructor);
  }

  #rescale(): void {
    for (const chart of this.#charts) if (this.#seen.has(chart)) chart.rescale();
  }

  get theme(): ReadonlySignal<ChartTheme> {
    return this.#theme;
  }

  setTheme(theme: ChartTheme): void {
    this.#theme.value = theme;
    for (const chart of this.#charts) chart.setTheme(theme);
  }

  /** Fits the charts to their containers. `pixelRatio` replaces the screen's pixel ratio, for example on paper. */
  resize(pixelRatio?: number): void {
    // Paper also shows the charts that are out of view.
    for (const chart of this.#unpainted) this.#paint(chart);
    for (const chart of this.#charts) chart.resize(pixelRatio);
  }

  /**
   * Marks moments in all charts. In the uppermost chart, the marks have labels. A click on a label moves the cursor of
   * all charts to the moment.
   */
  setMarks(marks: readonly ChartMark[]): void {
    if (marks.length === 0 && this.#marks.length === 0) return;
    this.#marks = marks;
    this.#mark();
    this.refreshAll();
  }

  #mark(): void {
    const [first] = [...this.#charts].sort(({ canvas: a }, { canvas: b }) =>
      a.compareDocumentPosition(b) & Node.DOCUMENT_POSITION_FOLLOWING ? -1 : 1,
    );
    const onChoose = ({ timeUs }: ChartMark): void => this.axis.jumpTo(timeUs);
    for (const chart of this.#charts) chart.setMarks(this.#marks, chart === first ? onChoose : undefined);
  }

  /** From now on, draws the rows that these filters select. */
  setFilters(filters: Filters): void {
    this.#filters = filters;
    if (this.#beside === null) this.dropGhost();
    else void this.#readGhosts(this.#beside);
    this.refreshAll();
  }

  /** Keeps the current lines of the charts as faint lines (ghosts), which are drawn behind all later lines. */
  async keepGhost(): Promise<void> {
    if (!(await this.#ghosts.keep(this.#charts, this.#filters))) return;
    this.hasKeptGhost.value = true;
    for (const chart of this.#charts) this.#ghosts.give(chart);
  }

  /** Draws another trace with the same clock behind this trace, also in charts that are added later. */
  async setGhost(beside: ScopeSource['store']): Promise<void> {
    this.#beside = beside;
    await this.#readGhosts(beside);
  }

  async #readGhosts(beside: ScopeSource['store']): Promise<void> {
    await this.#ghosts.keep(this.#charts, this.#filters, beside);
    if (this.#beside !== beside) return;
    for (const chart of this.#charts) this.#ghosts.give(chart);
    this.refreshAll();
  }

  dropGhost(): void {
    this.#beside = null;
    this.hasKeptGhost.value = false;
    this.#ghosts.drop();
    for (const chart of this.#charts) chart.clearGhost();
  }

  /** Reads the rows of all charts again, and then redraws the charts one after the other. */
  refreshAll(): void {
    for (const chart of this.#charts) this.refresh(chart);
  }

  /** Shows a time window of a trace whose rows cover `extent`. The window then does not follow new rows. */
  show(extent: TimeWindow, window: TimeWindow): void {
    this.axis.setExtent(extent);
    this.axis.setWindow(window);
    this.version.value++;
    this.refreshAll();
  }

  /** Reads and draws one chart again, when its turn comes. */
  refresh(chart: TimeChart): void {
    this.#stale.add(chart);
    this.#pumping ??= this.#pump().finally(() => (this.#pumping = null));
  }

  /** Shows the newest part, or all, of the trace. To be called after everything in the trace was replaced. */
  async reload(show: 'newest' | 'all'): Promise<TraceExtent> {
    const extent = await this.source.store.extent();
    const { fromUs, toUs } = extent;
    this.axis.setExtent({ fromUs: fromUs ?? 0, toUs: toUs ?? 0 });
    for (const chart of this.#charts) chart.reset();
    this.refreshAll();
    if (show === 'all') this.axis.showAll();
    else this.axis.follow();
    this.version.value++;
    return extent;
  }

  #tick(): void {
    const newestUs = this.source.newestUs();
    if (newestUs > this.axis.extent.toUs && this.#pumping === null && performance.now() >= this.#restUntilMs)
      this.axis.setExtent({ fromUs: 0, toUs: newestUs });
    if (!this.#valuesStale || this.#isReading) return;
    this.#valuesStale = false;
    void this.#readValues();
  }

  /** Reads the values from the trace, since the rows that the charts draw are reduced to fit the charts' widths. */
  async #readValues(): Promise<void> {
    this.#isReading = true;
    const { fromUs, toUs } = this.axis.window;
    const timeUs = this.axis.cursorUs ?? toUs;
    const period = { fromUs: Math.min(fromUs, timeUs), toUs: timeUs, last: READ_ROWS };
    try {
      const rows = await rowsFor(this.#charts, this.#filters, this.source.store, period);
      if (this.#isClosed) return;
      const values = [...this.#charts].map((chart) => chart.valuesIn((name) => rows.get(name) ?? {}, timeUs));
      this.values.value = Object.assign({}, ...values) as Record<string, number>;
    } catch {
      // The trace worker has ended. The store reports this to its owner.
    } finally {
      this.#isReading = false;
    }
  }

  /** Resolves when all stale charts have been read again, and those in view are painted. */
  async drawn(): Promise<void> {
    await this.#pumping;
  }

  /** Resolves when all scheduled charts have been created and drawn. */
  async settled(): Promise<void> {
    // A component calls `inFrame` one frame after it was rendered.
    await nextFrame();
    do await nextFrame();
    while (this.#works.size > 0);
    await this.drawn();
  }

  async #pump(): Promise<void> {
    // Also waits for further charts that become stale in the same task, so that all of them are read together.
    await this.source.firstRows;
    this.#paintedMs = 0;
    while (this.#stale.size > 0) await this.#drawStale();
    this.#restUntilMs = performance.now() + REST * this.#paintedMs;
    if (this.#twin !== null) this.#twin.#rescale();
  }

  async #drawStale(): Promise<void> {
    const reads = [...this.#stale].map((chart) => ({ chart, reading: this.#read(chart) }));
    this.#stale.clear();
    const read = await Promise.all(
      reads.map(async ({ chart, reading }) => ({ chart, views: await reading })),
    );
    // All charts get their new rows together. Otherwise one chart would show values of the old run beside a chart of
    // the new run.
    for (const { chart, views } of read) {
      if (!this.#charts.has(chart)) continue;
      for (const [table, columns] of views) chart.set(table, columns);
      this.#unpainted.add(chart);
    }
    this.#valuesStale = true;
    let frameBegan = -Infinity;
    for (const { chart } of read) {
      if (!this.#seen.has(chart)) continue;
      const budgetMs = chart.isPainted ? (this.source.frameMs ?? FRAME_MS) : WORK_MS;
      if (performance.now() - frameBegan > budgetMs) {
        await nextFrame();
        frameBegan = performance.now();
      }
      this.#paint(chart);
    }
  }

  #paint(chart: TimeChart): void {
    if (!this.#unpainted.delete(chart)) return;
    const start = performance.now();
    chart.draw();
    const costMs = performance.now() - start;
    this.#paintedMs += costMs;
    this.source.painted?.(costMs);
  }

  async #read(chart: TimeChart) {
    const { fromUs, toUs } = this.axis.window;
    const marginUs = (toUs - fromUs) / 50;
    const maxPoints = Math.ceil(chart.plotWidth);
    const queries = [...chart.needs].map(async ([rows, columns]) => {
      const query = {
        ...chosenRows(rows, this.#filters),
        columns,
        fromUs: fromUs - marginUs,
        toUs: toUs + marginUs,
        maxPoints,
      };
      const view = await this.source.store.view(query);
      return [rows, view.columns] as const;
    });
    return Promise.all(queries);
  }
}

const nextFrame = (): Promise<unknown> => new Promise((resolve) => requestAnimationFrame(resolve));
