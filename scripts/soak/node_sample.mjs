// Measures the memory and threads of a Node process of the soak, and answers the commands of its parent.
import { wasmPages } from './memories.mjs';
import { threadHeaps } from './threads.mjs';

/**
 * The state of this process. Needs --expose-gc: only memory that remains after collecting garbage can be a leak.
 */
export async function nodeSample() {
  const { threads, heapMb: threadHeapMb } = await threadHeaps();
  globalThis.gc();
  const { heapUsed, external } = process.memoryUsage();
  return {
    heapMb: heapUsed / 1e6,
    threadHeapMb,
    externalMb: external / 1e6,
    threads,
    wasmPages: wasmPages().pages,
    handles: process.getActiveResourcesInfo().length,
  };
}

/** Answers the commands of the parent: `sample`, and those in `commands`, by name. Reports uncaught errors. */
export function serveParent(commands) {
  for (const event of ['uncaughtException', 'unhandledRejection'])
    process.on(event, (error) => process.send({ uncaught: `${event}: ${error?.stack ?? error}` }));
  process.on('message', async ({ id, command, args = [] }) => {
    try {
      const result = await (command === 'sample' ? nodeSample() : commands[command](...args));
      process.send({ id, result });
    } catch (error) {
      process.send({ id, error: String(error?.stack ?? error) });
    }
  });
  process.on('disconnect', () => process.exit(0));
  process.send({ ready: true });
}
