/**
 * Defines when a machine is too busy for a call's measurements to be meaningful. Three quantities decide, each
 * measured once a second; README.md in this folder describes how the limits were found.
 */
export const QUANTITIES = ['shaper', 'callbacks', 'source'] as const;

/**
 * The quantities, each over one second. `shaper` is the 95th percentile of how late packets left the shaped
 * link, in milliseconds. `callbacks` is the largest lateness of a tick, in milliseconds. In a call of ccscope's
 * own page, the ticks are those of the media workers and of the page's event loop; in a call of other pages,
 * those of the observer's worker. `source` is the share of the requested frames that the video source delivered.
 */
export type Quantity = (typeof QUANTITIES)[number];

/**
 * The limits for the median of a quantity. At `begin` or worse the machine becomes overloaded; at `end` or better the
 * overload ends.
 */
export interface Limits {
  begin: number;
  end: number;
}

export const LIMITS: Readonly<Record<Quantity, Limits>> = {
  shaper: { begin: 15, end: 10 },
  callbacks: { begin: 20, end: 12 },
  source: { begin: 0.8, end: 0.9 },
};

/** The median over this many seconds counts, so that two bad seconds among them raise no alarm. */
export const WINDOW_SECONDS = 5;
/** Measured seconds that are older than this are dropped, since they do not describe the present. */
export const KEPT_US = 2 * WINDOW_SECONDS * 1e6;

/**
 * If the machine was overloaded for at least this share of the time, the measurements reflect the machine
 * rather than the network.
 */
export const OVERLOADED_SHARE = 0.2;

const isHighBad = (quantity: Quantity): boolean => LIMITS[quantity].begin > LIMITS[quantity].end;

/** Whether a value is at a limit, or worse than it. */
export const reaches = (quantity: Quantity, value: number, limit: number): boolean =>
  isHighBad(quantity) ? value >= limit : value <= limit;

/** The worse of two values; `a` is null if there is no value yet. */
export function worse(quantity: Quantity, a: number | null, b: number): number {
  if (a === null) return b;
  return isHighBad(quantity) ? Math.max(a, b) : Math.min(a, b);
}
