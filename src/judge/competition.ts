/** Other traffic counts as competition if it takes at least this share of the capacity. */
export const COMPETITION = 0.2;
