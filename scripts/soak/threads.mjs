// Keeps track of the threads that this process starts, and of their heaps. V8's statistics of the main thread do
// not include these heaps.
import { syncBuiltinESMExports } from 'node:module';
import { fileURLToPath } from 'node:url';
import workerThreads, { BroadcastChannel } from 'node:worker_threads';

const sampler = fileURLToPath(new URL('./thread_sample.cjs', import.meta.url));
const threads = new Set();

/** Starts watching. Call this before importing modules that start threads: earlier threads are not counted. */
export function watchThreads() {
  const { Worker } = workerThreads;
  workerThreads.Worker = class extends Worker {
    constructor(file, options = {}) {
      super(file, { ...options, execArgv: [...(options.execArgv ?? []), '--require', sampler] });
      threads.add(this);
      this.once('exit', () => threads.delete(this));
    }
  };
  syncBuiltinESMExports();
}

/** How many threads there are, and the megabytes of their heaps after collecting the garbage. Needs --expose-gc. */
export async function threadHeaps() {
  const channel = new BroadcastChannel('ccscope.soak');
  const heaps = new Map();
  try {
    await new Promise((resolve) => {
      const areAllIn = () => [...threads].every(({ threadId }) => heaps.has(threadId));
      if (areAllIn()) return resolve();
      channel.onmessage = ({ data: { threadId, heapBytes } }) => {
        heaps.set(threadId, heapBytes);
        if (areAllIn()) resolve();
      };
      channel.postMessage('sample');
    });
  } finally {
    channel.close();
  }
  const bytes = [...heaps.values()].reduce((sum, each) => sum + each, 0);
  return { threads: threads.size, heapMb: bytes / 1e6 };
}
