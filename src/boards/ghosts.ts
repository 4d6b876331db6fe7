/** Lines of an earlier run or of another trace, which charts draw behind their own lines. */
import type { TimeChart } from '../charts/index.js';
import type { Columns } from '../charts/series.js';
import type { TraceStore } from '../worker/trace/trace_client.js';
import { rowsFor, type Filters } from './filters.js';

/**
 * The largest number of points in a ghost (the faint lines of an earlier run). A ghost is read only once, so it needs
 * more points than a chart has pixels across: the user may zoom in later. The number is limited, since every point
 * costs time whenever the chart is drawn.
 */
const POINTS = 2000;

export class Ghosts {
  /** The rows of the ghosts, keyed by the table names in the series (see `rowsWhere`). */
  #kept: ReadonlyMap<string, Columns> = new Map();
  /** Counts requests to keep or drop a ghost; only the latest one takes effect. */
  #turn = 0;

  constructor(private readonly store: Pick<TraceStore, 'view'>) {}

  /**
   * Reads the rows that the charts draw, over the whole trace, and keeps them as ghosts. `store` may contain another
   * trace. Resolves to false if ghosts were dropped, or others requested, in the meantime.
   */
  async keep(charts: Iterable<TimeChart>, filters: Filters, store = this.store): Promise<boolean> {
    const turn = ++this.#turn;
    const kept = await rowsFor(charts, filters, store, { maxPoints: POINTS });
    if (turn !== this.#turn) return false;
    this.#kept = kept;
    return true;
  }

  /** Gives a chart the ghosts of its series. */
  give(chart: TimeChart): void {
    for (const rows of chart.needs.keys()) {
      const columns = this.#kept.get(rows);
      if (columns !== undefined) chart.setGhost(rows, columns);
    }
  }

  drop(): void {
    this.#turn += 1;
    this.#kept = new Map();
  }
}
