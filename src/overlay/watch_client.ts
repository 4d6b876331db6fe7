/**
 * Starts the watch: in a worker if the policy of the page allows a worker, otherwise on the page's own thread.
 */
import { wrap, type Remote } from 'comlink';

import { attempt, listen, setTimeout } from '../inject/natives.js';
import { newWorker, whenLate } from '../inject/blob_worker.js';
import type { WatchService, WatchStart } from './watch_service.js';

export interface StartedWatch {
  watch: Remote<WatchService>;
  /** Ends the watch, and removes the recorded data. Never rejects. */
  end(): Promise<void>;
}

/** How long the watch may take to remove its data. */
const END_MS = 2000;
/** The message that a worker sends when it has started. */
export const HERE = 'ccscope';

/** Starts the watch. Never rejects. */
export async function startWatch(originEpochMs: number): Promise<StartedWatch> {
  const { port1, port2 } = new MessageChannel();
  const worker = await aliveWorker();
  const place = worker === null ? 'page' : 'worker';
  const start: WatchStart = { originEpochMs, place, spills: true, port: port2 };
  if (worker === null) (await import('./watch_service.js')).serveWatch(start);
  else worker.postMessage(start, [port2]);
  const watch = wrap<WatchService>(port1);
  const end = async (): Promise<void> => {
    // The watch first removes its data from the disk. A worker that does not answer is terminated after END_MS.
    await Promise.race([
      watch.close().catch(() => undefined),
      new Promise((resolve) => setTimeout(() => resolve(undefined), END_MS)),
    ]);
    port1.close();
    worker?.terminate();
  };
  return { watch, end };
}

/** Starts a worker that runs this script. Resolves to null if no worker can be started. */
function aliveWorker(): Promise<Worker | null> {
  const worker = attempt(() => newWorker(CCSCOPE_SOURCE));
  if (worker === undefined) return Promise.resolve(null);
  return new Promise((resolve) => {
    let isAlive = false;
    const fail = (): void => {
      if (isAlive) return;
      worker.terminate();
      resolve(null);
    };
    const begin = (): void => {
      isAlive = true;
      resolve(worker);
    };
    listen(worker, 'message', begin);
    listen(worker, 'error', fail);
    whenLate(fail);
  });
}
