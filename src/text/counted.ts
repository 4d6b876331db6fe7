/** `1 run`, `2 runs`: a number and what it counts. */
export const counted = (count: number, what: string): string => `${count} ${what}${count === 1 ? '' : 's'}`;
