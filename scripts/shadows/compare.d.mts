/**
 * A frame with the send time that its sender reported; times in microseconds. `rttUs` is NaN if the round-trip time
 * is not known.
 */
export interface ToldArrival {
  seq: number;
  sendTimeUs: number;
  arrivalTimeUs: number;
  rtpTimestamp: number;
  sizeBytes: number;
  keyFrame: boolean;
  /** Default: the lowest layer. */
  spatialIndex?: number;
  rttUs: number;
}

export interface Compared {
  /** Pearson's correlation of the two controllers' m(t). */
  correlation: number;
  /**
   * The same correlation, but only over the groups at which neither filter was held (paused), since a held filter
   * repeats its value.
   */
  whileRunning: number;
  /** The fraction of the groups at which at least one filter was held. */
  held: number;
  groups: number;
  /**
   * `overloads`: the number of forced overloads at which the controller with send times signals overuse. `within`:
   * the number of these overloads at which the other controller signals overuse at most 300 ms earlier or later.
   */
  overloads: number;
  within: number;
}

export function compareArrivals(
  told: readonly ToldArrival[],
  overloadsUs: readonly number[],
): Promise<Compared>;
export function compare(file: string, overloadsUs: readonly number[]): Promise<Compared>;
