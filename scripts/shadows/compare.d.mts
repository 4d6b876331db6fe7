/** A frame whose sender said when it was sent; times in microseconds, NaN for a round trip that is not known. */
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
  /** Pearson's, of m(t). */
  correlation: number;
  /** The same over the groups at which neither filter was held: a held one says what it said before. */
  whileRunning: number;
  /** Share of the groups at which one was. */
  held: number;
  groups: number;
  /** Overloads at which the controller with send times signals overuse, and those at which the other one does so, too. */
  overloads: number;
  within: number;
}

export function compareArrivals(
  told: readonly ToldArrival[],
  overloadsUs: readonly number[],
): Promise<Compared>;
export function compare(file: string, overloadsUs: readonly number[]): Promise<Compared>;
