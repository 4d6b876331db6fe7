/** Converts the queue and the bottleneck of a link to arguments of the ABI. */
import { CoreError, type CoreModule } from './load.js';
import { queueArguments, type QueueOptions } from './queue.js';

/**
 * `serial`: packets are sent one by one; each takes its size divided by the capacity. `token-bucket`: a burst
 * passes at once.
 */
export const BOTTLENECKS = ['serial', 'token-bucket'] as const;
export type Bottleneck = (typeof BOTTLENECKS)[number];

/**
 * Writes the values of a queue to the core's input buffer, and returns the two arguments that describe the queue.
 * Throws CoreError.
 */
export function passQueue(module: CoreModule, queue: QueueOptions): [kind: number, values: number] {
  const { kind, values } = queueArguments(queue);
  module.input(values);
  return [kind, values.length];
}

/** The core's number of a bottleneck mode. For an unknown mode it is -1, which the core refuses. */
export function modeOf(bottleneck: Bottleneck): number {
  return BOTTLENECKS.indexOf(bottleneck);
}

/** Throws CoreError for a number that is not an integer or does not fit into the core's `int`. */
export function expectWhole(field: string, value: number, range: string): void {
  if (Number.isInteger(value) && Math.abs(value) < 2 ** 31) return;
  throw new CoreError(`${field}: expected an integer from ${range}, got ${value}`, field);
}
