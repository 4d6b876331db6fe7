/** The two directions of a path, in the core's order. */
export const DIRECTIONS = ['forward', 'backward'] as const;
export type Direction = (typeof DIRECTIONS)[number];
