/**
 * When a machine is too busy for its calls to mean anything. Three quantities tell, each once a second;
 * how the limits were measured stands in README.md beside this.
 */
export const QUANTITIES = ['shaper', 'callbacks', 'source'] as const;

/**
 * What is looked at, each second:
 * `shaper`: the 95th percentile of how late packets left the shaped link, in milliseconds;
 * `callbacks`: how late the latest tick of a media worker, or of the page's event loop, came, in milliseconds;
 * `source`: frames that the source of the video made, of those that it was asked for, as a share.
 */
export type Quantity = (typeof QUANTITIES)[number];

/** A quantity that is at `begin` or worse makes a machine overloaded; one that is at `end` or better no longer. */
export interface Limits {
  begin: number;
  end: number;
}

export const LIMITS: Readonly<Record<Quantity, Limits>> = {
  shaper: { begin: 15, end: 10 },
  callbacks: { begin: 20, end: 12 },
  source: { begin: 0.8, end: 0.9 },
};

/** The median over this many seconds counts: two bad ones among them are no alarm. */
export const WINDOW_SECONDS = 5;
/** Older seconds say nothing of now. */
export const KEPT_US = 2 * WINDOW_SECONDS * 1e6;

/** What was measured is the machine's doing when that was overloaded for this share of the time. */
export const OVERLOADED_SHARE = 0.2;

const isHighBad = (quantity: Quantity): boolean => LIMITS[quantity].begin > LIMITS[quantity].end;

/** Whether a value is at a limit, or worse than it. */
export const reaches = (quantity: Quantity, value: number, limit: number): boolean =>
  isHighBad(quantity) ? value >= limit : value <= limit;

/** The worse of two values; null stands for none. */
export function worse(quantity: Quantity, a: number | null, b: number): number {
  if (a === null) return b;
  return isHighBad(quantity) ? Math.max(a, b) : Math.min(a, b);
}
