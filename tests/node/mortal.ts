import { BroadcastChannel } from 'node:worker_threads';

/** The script of a link's thread that `endThread` can end. */
export const mortalThread = new URL('./mortal_thread.mjs', import.meta.url);

/** Ends the thread of the link that was opened with this seed. */
export function endThread(seed: number, how: 'exit' | 'throw' = 'exit'): void {
  const channel = new BroadcastChannel(`ccscope test ${seed}`);
  channel.postMessage(how);
  channel.close();
}
