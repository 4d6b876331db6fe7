// The sample of its own state that a Node process of the soak sends when its parent requests it.
import { wasmPages } from './memories.mjs';
import { threadHeaps } from './threads.mjs';

/** Needs --expose-gc: only what is left after collecting garbage can leak. */
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

/** Answers the commands of the parent: those in `commands`, by name, and always `sample`. Reports uncaught errors. */
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
