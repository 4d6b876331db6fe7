/** Finds the charts that the user can see or is about to scroll to. */
import type { TimeChart } from '../charts/index.js';

/** Charts at most this far outside the view are painted in advance, before the user scrolls to them. */
const MARGIN = '300px';

export class ChartsInView {
  /** The charts, keyed by canvas. `isSeen`: whether the chart is in view. */
  readonly #charts = new Map<Element, { chart: TimeChart; isSeen: boolean }>();
  readonly #observer: IntersectionObserver;

  /** `onSeen` is called when a chart comes into view. */
  constructor(onSeen: (chart: TimeChart) => void) {
    const observe: IntersectionObserverCallback = (entries) => {
      for (const { target, isIntersecting } of entries) {
        const known = this.#charts.get(target);
        if (known === undefined) continue;
        known.isSeen = isIntersecting;
        if (isIntersecting) onSeen(known.chart);
      }
    };
    this.#observer = new IntersectionObserver(observe, { rootMargin: MARGIN, scrollMargin: MARGIN });
  }

  /** Adds a chart. It counts as out of view until the browser reports, with the next frame, that it is in view. */
  add(chart: TimeChart): void {
    this.#charts.set(chart.canvas, { chart, isSeen: false });
    this.#observer.observe(chart.canvas);
  }

  delete(chart: TimeChart): void {
    this.#charts.delete(chart.canvas);
    this.#observer.unobserve(chart.canvas);
  }

  has(chart: TimeChart): boolean {
    return this.#charts.get(chart.canvas)?.isSeen === true;
  }

  close(): void {
    this.#observer.disconnect();
  }
}
