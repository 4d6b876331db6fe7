/**
 * Estimates the density of a sample and the modes of this density, with normal kernels of bandwidth h. With
 * normal kernels, the number of maxima never grows with h, so more smoothing never adds a mode (B. W. Silverman,
 * "Using kernel density estimates to investigate multimodality", J. R. Statist. Soc. B 43, 1981).
 */

/** Values are counted in bins of a tenth of the bandwidth, which hardly changes the density. */
const BINS_PER_BANDWIDTH = 10;
/** A normal kernel is treated as zero beyond this many bandwidths. */
const REACH = 5;
/** A maximum counts as a mode only if the density falls by at least this fraction on both sides of it. */
const DIP = 0.25;
/** A maximum counts as a mode only if at least this fraction of the sample lies between the minima around it. */
const SHARE = 0.01;

/** A density, sampled on an evenly spaced grid. */
export interface Density {
  /** `from`: the first x. `step`: the distance between neighbouring values of x. */
  readonly from: number;
  readonly step: number;
  readonly values: Float64Array;
}

/** A sample. Stores only the number of values in each bin, so memory does not grow with the number of values. */
export class KernelDensity {
  readonly #step: number;
  readonly #bins = new Map<number, number>();
  #count = 0;

  constructor(readonly bandwidth: number) {
    this.#step = bandwidth / BINS_PER_BANDWIDTH;
  }

  add(value: number): void {
    if (!Number.isFinite(value)) return;
    const bin = Math.round(value / this.#step);
    this.#bins.set(bin, (this.#bins.get(bin) ?? 0) + 1);
    this.#count += 1;
  }

  /** The density at the grid points from `low` to `high`. The density over the whole real line integrates to 1. */
  between(low: number, high: number): Density {
    const [first, last] = [Math.floor(low / this.#step), Math.ceil(high / this.#step)];
    const values = new Float64Array(Math.max(0, last - first + 1));
    const reach = REACH * BINS_PER_BANDWIDTH;
    const kernel = Float64Array.from({ length: 2 * reach + 1 }, (_, i) =>
      normal((i - reach) / BINS_PER_BANDWIDTH),
    );
    const scale = 1 / (this.#count * this.bandwidth);
    for (const [bin, count] of this.#bins) {
      const from = Math.max(0, bin - reach - first);
      const to = Math.min(values.length - 1, bin + reach - first);
      for (let i = from; i <= to; i++) {
        values[i] = (values[i] ?? 0) + count * scale * (kernel[i + first - bin + reach] ?? 0);
      }
    }
    return { from: first * this.#step, step: this.#step, values };
  }

  /** The smallest value v such that at least the fraction `share` of the sample is at or below v. */
  quantile(share: number): number {
    const bins = [...this.#bins].sort(([a], [b]) => a - b);
    let below = 0;
    for (const [bin, count] of bins) {
      below += count;
      if (below >= share * this.#count) return bin * this.#step;
    }
    return NaN;
  }

  /** The positions of the modes, in ascending order; empty without samples. */
  modes(): number[] {
    if (this.#count === 0) return [];
    // At each end, at most the fraction SHARE / 2 of the sample lies outside this range. A mode needs at least
    // SHARE, so no mode is missed.
    const reach = REACH * this.bandwidth;
    const density = this.between(this.quantile(SHARE / 2) - reach, this.quantile(1 - SHARE / 2) + reach);
    return modesOf(density);
  }
}

const normal = (z: number): number => Math.exp(-(z * z) / 2) / Math.sqrt(2 * Math.PI);

interface Peak {
  at: number;
  height: number;
  /** The fraction of the sample that lies between the minima on either side of the peak. */
  share: number;
}

/**
 * The modes of a density: its maxima, except those that are shallow or contain too small a fraction of the
 * sample.
 */
export function modesOf({ from, step, values }: Density): number[] {
  const { peaks, valleys } = extremes(values, step);
  for (;;) {
    // Each pass removes the lowest maximum that is not a mode, and the higher of the two minima beside it. A shallow
    // maximum belongs to the neighbouring maximum beyond the removed minimum. So its share of the sample is added to
    // the share of that neighbour.
    let worst = -1;
    for (const [i, peak] of peaks.entries()) {
      const dip = Math.max(valleys[i] ?? 0, valleys[i + 1] ?? 0);
      const counts = peak.share >= SHARE && dip <= (1 - DIP) * peak.height;
      if (!counts && (worst < 0 || peak.height < (peaks[worst]?.height ?? 0))) worst = i;
    }
    if (worst < 0 || peaks.length === 1) return peaks.map(({ at }) => from + at * step);
    const right = (valleys[worst + 1] ?? 0) >= (valleys[worst] ?? 0) ? worst < peaks.length - 1 : worst === 0;
    const heir = peaks[right ? worst + 1 : worst - 1];
    const dip = Math.max(valleys[worst] ?? 0, valleys[worst + 1] ?? 0);
    const shallow = dip > (1 - DIP) * (peaks[worst]?.height ?? 0);
    if (heir !== undefined && shallow) heir.share += peaks[worst]?.share ?? 0;
    peaks.splice(worst, 1);
    valleys.splice(right ? worst + 1 : worst, 1);
  }
}

/** The maxima from left to right, and the minima before, between and after them. */
function extremes(values: Float64Array, step: number): { peaks: Peak[]; valleys: number[] } {
  const peaks: Peak[] = [];
  const valleys: number[] = [0];
  let rising = true;
  let share = 0;
  for (let i = 0; i < values.length; i++) {
    const value = values[i] ?? 0;
    const next = values[i + 1] ?? 0;
    share += value * step;
    if (rising && next < value) {
      peaks.push({ at: i, height: value, share: 0 });
      rising = false;
    } else if (!rising && (next > value || i === values.length - 1)) {
      valleys.push(i === values.length - 1 ? 0 : value);
      const peak = peaks.at(-1);
      if (peak !== undefined) peak.share = share;
      share = 0;
      rising = true;
    }
  }
  return { peaks, valleys };
}
