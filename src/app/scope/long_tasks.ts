/** Counts the tasks that kept the page's main thread busy for longer than 50 ms, in browsers that report them. */
export class LongTasks {
  #count = 0;
  #longestMs = 0;

  constructor() {
    if (!PerformanceObserver.supportedEntryTypes.includes('longtask')) return;
    new PerformanceObserver((list) => {
      for (const { duration } of list.getEntries()) {
        this.#count++;
        this.#longestMs = Math.max(this.#longestMs, duration);
      }
    }).observe({ type: 'longtask' });
  }

  /** Starts the count again from zero, as at the start of a call. */
  reset(): void {
    this.#count = 0;
    this.#longestMs = 0;
  }

  get summary(): { count: number; longestMs: number } {
    return { count: this.#count, longestMs: this.#longestMs };
  }
}
