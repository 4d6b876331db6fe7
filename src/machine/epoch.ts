/** How far the system's clock may be from `performance.timeOrigin` because it counts in whole milliseconds only. */
const MOST_APART_MS = 20;

/**
 * The time at which `performance.now()` was 0, in milliseconds since the Unix epoch. `performance.timeOrigin` says it
 * more precisely than the system's clock, but is wrong once the machine has slept or its clock was set: on most
 * systems `performance.now()` stands still meanwhile. To be read once when a call begins, so that the call's times
 * do not jump.
 */
export function timeZeroMs(): number {
  const zeroMs = Date.now() - performance.now();
  return Math.abs(zeroMs - performance.timeOrigin) <= MOST_APART_MS ? performance.timeOrigin : zeroMs;
}
