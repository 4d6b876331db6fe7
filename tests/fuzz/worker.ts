/**
 * Runs a range of one target's inputs in a separate thread. The parent can end this thread, so an input that never
 * returns or takes all memory is a fault like any other. Through shared memory the parent learns the number of the
 * latest input.
 */
import { parentPort, workerData } from 'node:worker_threads';

import { faultIn, inputsOf, targetsIn, withoutStacks, type Fault } from './harness.js';
import type { FuzzTarget } from './target.js';

/** The thread's initial data. */
export interface Order {
  /** The URL of the bundle that contains the target. */
  url: string;
  target: string;
  seed: number;
  from: number;
  to: number;
  /** The deadline; milliseconds of Date.now(). */
  untilMs: number;
  /** How many inputs an asynchronous target may process at a time. */
  concurrency: number;
  /** Inputs to run instead of mutated ones. */
  files?: Uint8Array[];
  /** Two numbers for the parent: the number of the latest input, and how many inputs are done. */
  shared: Int32Array;
}

/** The thread's messages to its parent. `next` is the number of the first input that was not run. */
export type Report =
  { kind: 'fault'; index: number; input: Uint8Array; fault: Fault } | { kind: 'end'; next: number };

async function run(target: FuzzTarget, order: Order): Promise<number> {
  const { files, seed, from, to, untilMs, shared, concurrency } = order;
  const inputs = files === undefined ? inputsOf(target, seed) : (i: number) => files[i] ?? new Uint8Array(0);
  let next = from;
  const lane = async (): Promise<void> => {
    while (next < to && ((next & 63) > 0 || Date.now() < untilMs)) {
      const index = next++;
      const input = inputs(index);
      shared[0] = index;
      const fault = await faultIn(target, input);
      Atomics.add(shared, 1, 1);
      if (fault !== undefined)
        parentPort?.postMessage({ kind: 'fault', index, input, fault } satisfies Report);
    }
  };
  await Promise.all(Array.from({ length: concurrency }, lane));
  return next;
}

withoutStacks();
const order = workerData as Order;
const target = targetsIn((await import(order.url)) as object).find(({ name }) => name === order.target);
if (target === undefined) throw new Error(`${order.url} has no target ${order.target}`);
const next = await run(target, order);
await target.close?.();
parentPort?.postMessage({ kind: 'end', next } satisfies Report);
