/** How far the system's clock may be from `performance.timeOrigin` because it counts in whole milliseconds only. */
const MOST_APART_MS = 20;

let latestMs = performance.timeOrigin;

/**
 * The time at which `performance.now()` was 0, in milliseconds since the Unix epoch. `performance.timeOrigin` says it
 * more precisely than the system's clock, but is wrong once the machine has slept or its clock was set: on most
 * systems `performance.now()` stands still meanwhile. To be read once when a call begins, so that the call's times
 * do not jump. All that read it get the same value until the clocks disagree again.
 */
export function timeZeroMs(): number {
  const zeroMs = Date.now() - performance.now();
  if (Math.abs(zeroMs - latestMs) > MOST_APART_MS) latestMs = zeroMs;
  return latestMs;
}
