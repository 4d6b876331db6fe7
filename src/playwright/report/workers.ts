/** Checks whether calls had the CPU cores that a verdict needs. */
import { numberOf, type TestedCall } from './calls.js';

/**
 * How many workers may make calls at once: half as many as there are cores, rounded up. The pages of a call need
 * about one core to encode and decode, and its link, which has to be punctual, runs beside them.
 */
const workersFor = (cores: number): number => Math.max(1, Math.ceil(cores / 2));

/** A sentence with its fix if calls ran in more workers than half of the cores; null otherwise. */
export function workersWarning(calls: readonly TestedCall[]): string | null {
  // Counted from the results: the configuration of a merged report has the sum of all shards' workers.
  const used = new Set(calls.flatMap(({ test }) => test.results.map(({ parallelIndex }) => parallelIndex)));
  const workers = used.size;
  const cores = Math.min(...calls.map((call) => numberOf(call, 'cores') ?? Infinity));
  const most = workersFor(cores);
  if (workers <= most) return null;
  return (
    `Calls under test ran in ${workers} workers on ${cores} ${cores === 1 ? 'core' : 'cores'}: a call wants about a core, ` +
    `and what the machine takes from it looks like the network's doing. Set workers: ${most} in the configuration.`
  );
}
