// A fake worker for tests of the pool. The seed of a run decides what the worker does.
import { threadId } from 'node:worker_threads';

export const REFUSED = 100;
export const TRAPPED = 101;
export const THROWS = 102;
export const NEVER_ENDS = 103;
export const EXITS = 104;
export const FAILS_ASIDE = 105;

export default async function run({ seed }) {
  if (seed === REFUSED) return { failure: { name: 'CoreError', message: 'flows: expected at least 1' } };
  if (seed === TRAPPED) return { failure: { name: 'RuntimeError', message: 'unreachable' } };
  if (seed === THROWS) throw new RangeError('out of memory');
  if (seed === NEVER_ENDS) for (;;);
  if (seed === EXITS) process.exit(3);
  if (seed === FAILS_ASIDE)
    await new Promise(() => {
      setImmediate(() => {
        throw new Error('out of luck');
      });
    });
  // Later jobs end sooner, so that tests notice if results are returned in the order in which jobs ended.
  await new Promise((resolve) => setTimeout(resolve, Math.max(0, 20 - seed)));
  const values = new Map([
    ['seed', seed],
    ['thread', threadId],
  ]);
  return { result: { values, trace: [], seconds: 0.001 } };
}
