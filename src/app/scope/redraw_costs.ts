/** The largest number of redraws that are summarised: the latest ones. */
const MOST_KEPT = 600;

export interface RedrawCost {
  redraws: number;
  p50Ms: number;
  p95Ms: number;
  maxMs: number;
}

/** Keeps how long redrawing one chart took on the page's main thread. */
export class RedrawCosts {
  readonly #costsMs: number[] = [];

  add(costMs: number): void {
    this.#costsMs.push(costMs);
    if (this.#costsMs.length > MOST_KEPT) this.#costsMs.shift();
  }

  get summary(): RedrawCost {
    const sorted = [...this.#costsMs].sort((a, b) => a - b);
    const rank = (share: number): number => sorted[Math.ceil(share * sorted.length) - 1] ?? NaN;
    return { redraws: sorted.length, p50Ms: rank(0.5), p95Ms: rank(0.95), maxMs: rank(1) };
  }
}
