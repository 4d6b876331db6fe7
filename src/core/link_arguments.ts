/** Turns the queue and the bottleneck of a link into arguments of the ABI. */
import { CoreError, type CoreModule } from './load.js';
import { queueArguments, type QueueOptions } from './queue.js';

/**
 * `serial`: packets are transmitted one by one; each takes its size divided by the capacity. `token-bucket`:
 * a burst passes at once.
 */
export const BOTTLENECKS = ['serial', 'token-bucket'] as const;
export type Bottleneck = (typeof BOTTLENECKS)[number];

/**
 * Writes a queue's values to the core's input buffer. Returns the arguments that refer to these values. Throws
 * CoreError.
 */
export function passQueue(module: CoreModule, queue: QueueOptions): [kind: number, values: number] {
  const { kind, values } = queueArguments(queue);
  module.input(values);
  return [kind, values.length];
}

/** The number of a bottleneck's mode in the core. For an unknown mode this is -1, which the core refuses. */
export function modeOf(bottleneck: Bottleneck): number {
  return BOTTLENECKS.indexOf(bottleneck);
}

/** Throws CoreError for a number that is not an integer, or does not fit into the int that the core takes. */
export function expectWhole(field: string, value: number, range: string): void {
  if (Number.isInteger(value) && Math.abs(value) < 2 ** 31) return;
  throw new CoreError(`${field}: expected an integer from ${range}, got ${value}`, field);
}
