/** How late a shaper sends: for each packet, the actual time minus the due time, in milliseconds. */
import type { LatenessMs } from '../../link/server_protocol.js';

/** The width of the histogram's steps. The last step counts all greater values. */
const STEP_MS = 0.01;
const STEPS = 20_000;
/** The lateness of at most this many packets is kept between two calls of takeRecentP95Ms. */
const MOST_RECENT = 10_000;

export class Lateness {
  readonly #counts = new Uint32Array(STEPS);
  #packets = 0;
  #recentMs: number[] = [];

  add(ms: number): void {
    if (this.#recentMs.length < MOST_RECENT) this.#recentMs.push(ms);
    const step = Math.min(STEPS - 1, Math.max(0, Math.floor(ms / STEP_MS)));
    this.#counts[step] = (this.#counts[step] ?? 0) + 1;
    this.#packets++;
  }

  /** Percentiles of the lateness of all packets, to 0.01 ms; NaN if there were no packets. */
  summary(): LatenessMs {
    const [p50_ms, p95_ms, p99_ms] = [50, 95, 99].map((percent) => this.#percentile(percent)) as [
      number,
      number,
      number,
    ];
    return { p50_ms, p95_ms, p99_ms, packets: this.#packets };
  }

  /** The 95th percentile of the lateness since the last call; null if there were no packets. */
  takeRecentP95Ms(): number | null {
    const sorted = this.#recentMs.sort((a, b) => a - b);
    this.#recentMs = [];
    const p95Ms = sorted[Math.ceil(0.95 * sorted.length) - 1];
    return p95Ms === undefined ? null : Math.max(0, p95Ms);
  }

  #percentile(percent: number): number {
    const rank = Math.max(1, Math.ceil((this.#packets * percent) / 100));
    if (this.#packets === 0) return Number.NaN;
    let seen = 0;
    const step = this.#counts.findIndex((count) => (seen += count) >= rank);
    return Number(((step + 0.5) * STEP_MS).toFixed(3));
  }
}
