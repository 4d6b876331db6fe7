/**
 * Keeps the charts in step with the trace: asks the trace worker for rows thinned to each chart's
 * width and draws one chart in a frame, so that no frame does more than one chart's work.
 */
import { signal } from '@preact/signals';

import {
  TimeAxis,
  whichRows,
  type ChartMark,
  type ChartTheme,
  type TimeChart,
  type TimeWindow,
} from '../charts/index.js';
import type { TableName } from '../core/schema.js';
import type { TraceExtent } from '../trace/index.js';
import type { TraceStore } from '../worker/trace/trace_client.js';

const REFRESH_MS = 100;
/** How many of the last redraws the cost is told of. */
const COSTS_KEPT = 600;

export type MakeChart = (container: HTMLElement, axis: TimeAxis, theme: ChartTheme) => TimeChart;

/** What a scope draws from. */
export interface ScopeSource {
  readonly store: Pick<TraceStore, 'view' | 'extent'>;
  /** The newest time there is, microseconds. */
  newestUs(): number;
}

/** What of the time is shown, as settings keep it. `from_s` matters only while `paused`. */
export interface ShownTime {
  window_s: number;
  from_s: number;
  paused: boolean;
}

/** Which rows of a table are drawn where a series does not say: those with this value in a column. */
export type Filters = Partial<Record<TableName, { column: string; value: number }>>;

export interface RefreshCost {
  redraws: number;
  p50Ms: number;
  p95Ms: number;
  maxMs: number;
}

export class Scope {
  readonly axis: TimeAxis;
  /** Values at the cursor, or the newest, of every series by chart. */
  readonly values = signal<Readonly<Record<string, number>>>({});
  readonly cursorUs = signal<number | null>(null);
  readonly following = signal(true);
  readonly windowS = signal(0);
  /** Start of the window, microseconds. */
  readonly fromUs = signal(0);
  /** What is said of the time under the cursor; null where nobody says anything. */
  readonly said = signal<string | null>(null);
  /** Counts how often other rows came to be shown. */
  readonly version = signal(0);
  readonly #charts = new Set<TimeChart>();
  readonly #stale = new Set<TimeChart>();
  readonly #works = new Set<() => void>();
  readonly #costsMs: number[] = [];
  #pumping = false;
  #valuesStale = false;
  #filters: Filters = {};
  #marks: readonly ChartMark[] = [];
  #theme: ChartTheme;
  readonly #timer: ReturnType<typeof setInterval>;

  /** `remember` is told what is shown when that changes. */
  constructor(
    private readonly source: ScopeSource,
    { window_s, from_s, paused }: ShownTime,
    theme: ChartTheme,
    private readonly remember: (shown: ShownTime) => void,
  ) {
    this.#theme = theme;
    this.axis = new TimeAxis(window_s * 1e6);
    if (paused) this.axis.setWindow({ fromUs: from_s * 1e6, toUs: (from_s + window_s) * 1e6 });
    this.following.value = !paused;
    this.windowS.value = window_s;
    this.axis.subscribe((what) => {
      if (what === 'window') this.#charts.forEach((chart) => this.refresh(chart));
      this.#valuesStale = true;
      this.cursorUs.value = this.axis.cursorUs;
      this.following.value = this.axis.following;
      if (what === 'window') this.#remember();
    });
    this.#timer = setInterval(() => this.#tick(), REFRESH_MS);
  }

  /** Ends it: nothing is read or drawn any more. */
  close(): void {
    clearInterval(this.#timer);
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

  /** Does what costs much of a frame, such as making a chart, in a frame of its own. Returns what takes it back. */
  inFrame(work: () => void): () => void {
    this.#works.add(work);
    if (this.#works.size === 1) requestAnimationFrame(() => this.#work());
    return () => void this.#works.delete(work);
  }

  #work(): void {
    const [work] = this.#works;
    if (work === undefined) return;
    this.#works.delete(work);
    if (this.#works.size > 0) requestAnimationFrame(() => this.#work());
    work();
  }

  /** Puts a chart into a container. Returns the function that takes it out again. */
  add(container: HTMLElement, make: MakeChart): { chart: TimeChart; remove(): void } {
    const chart = make(container, this.axis, this.#theme);
    this.#charts.add(chart);
    this.#mark();
    this.refresh(chart);
    const remove = (): void => {
      this.#charts.delete(chart);
      this.#stale.delete(chart);
      chart.destroy();
      this.#mark();
    };
    return { chart, remove };
  }

  setTheme(theme: ChartTheme): void {
    this.#theme = theme;
    for (const chart of this.#charts) chart.setTheme(theme);
  }

  /** Marks moments in all charts; the uppermost has labels to them, which lead there. */
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

  /** Draws other rows from now on. */
  setFilters(filters: Filters): void {
    this.#filters = filters;
    this.refreshAll();
  }

  /** Reads and draws all charts again, each when its turn comes. */
  refreshAll(): void {
    for (const chart of this.#charts) this.refresh(chart);
  }

  /** Shows a window of a trace of that extent, and does not follow it. */
  show(extent: TimeWindow, window: TimeWindow): void {
    this.axis.setExtent(extent);
    this.axis.setWindow(window);
    this.version.value++;
    this.refreshAll();
  }

  /** Reads a chart's rows again and draws it, when its turn comes. */
  refresh(chart: TimeChart): void {
    this.#stale.add(chart);
    void this.#pump();
  }

  /** After everything in the trace was replaced. */
  async reload(show: 'newest' | 'all'): Promise<TraceExtent> {
    const extent = await this.source.store.extent();
    const { fromUs, toUs } = extent;
    this.axis.setExtent({ fromUs: fromUs ?? 0, toUs: toUs ?? 0 });
    for (const chart of this.#charts) chart.reset();
    if (show === 'all') this.axis.showAll();
    else this.axis.setWindow({ fromUs: 0, toUs: this.axis.lengthUs }, true);
    this.version.value++;
    return extent;
  }

  /** What redrawing one chart cost the page's thread, over the last minute or so. */
  get cost(): RefreshCost {
    const sorted = [...this.#costsMs].sort((a, b) => a - b);
    const rank = (share: number): number => sorted[Math.ceil(share * sorted.length) - 1] ?? NaN;
    return { redraws: sorted.length, p50Ms: rank(0.5), p95Ms: rank(0.95), maxMs: rank(1) };
  }

  #tick(): void {
    const newestUs = this.source.newestUs();
    if (newestUs > this.axis.extent.toUs) this.axis.setExtent({ fromUs: 0, toUs: newestUs });
    if (!this.#valuesStale) return;
    this.#valuesStale = false;
    const timeUs = this.axis.cursorUs ?? this.axis.window.toUs;
    this.values.value = Object.assign(
      {},
      ...[...this.#charts].map((chart) => chart.valuesAt(timeUs)),
    ) as Record<string, number>;
  }

  async #pump(): Promise<void> {
    if (this.#pumping) return;
    this.#pumping = true;
    try {
      for (const chart of this.#stale) {
        this.#stale.delete(chart);
        const views = await this.#read(chart);
        await new Promise((resolve) => requestAnimationFrame(resolve));
        if (!this.#charts.has(chart)) continue;
        const start = performance.now();
        for (const [table, columns] of views) chart.set(table, columns);
        chart.draw();
        this.#costsMs.push(performance.now() - start);
        if (this.#costsMs.length > COSTS_KEPT) this.#costsMs.shift();
        this.#valuesStale = true;
      }
    } finally {
      this.#pumping = false;
    }
  }

  async #read(chart: TimeChart) {
    const { fromUs, toUs } = this.axis.window;
    const marginUs = (toUs - fromUs) / 50;
    const maxPoints = Math.ceil(chart.plotWidth);
    const queries = [...chart.needs].map(async ([rows, columns]) => {
      const { table, where } = whichRows(rows);
      const query = {
        table: table as TableName,
        where: where ?? this.#filters[table as TableName],
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
