/** Checks whether calls had enough CPU cores for a valid verdict. */
import { numberOf, type TestedCall } from './calls.js';
import { counted } from '../../text/counted.js';

/**
 * How many workers may make calls at once: half the number of cores, rounded up. The pages of a call need about
 * one core to encode and decode. The call's link needs another core, since it has to send packets on time.
 */
const workersFor = (cores: number): number => Math.max(1, Math.ceil(cores / 2));

/** A warning with its fix if calls ran in more workers than `workersFor` allows; null otherwise. */
export function workersWarning(calls: readonly TestedCall[]): string | null {
  // The workers are counted from the results, since the configuration of a merged report contains the sum of
  // all shards' workers.
  const used = new Set(calls.flatMap(({ test }) => test.results.map(({ parallelIndex }) => parallelIndex)));
  const workers = used.size;
  const cores = Math.min(...calls.map((call) => numberOf(call, 'cores') ?? Infinity));
  const most = workersFor(cores);
  if (workers <= most) return null;
  return (
    `Calls under test ran in ${workers} workers on ${counted(cores, 'core')}: each call needs about one core, ` +
    `and with less, delays of the machine look like delays of the network. Set workers: ${most} in the configuration.`
  );
}
