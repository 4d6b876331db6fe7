// A link's thread that a test can end, by messages on a channel named after the link's seed.
import { BroadcastChannel, workerData } from 'node:worker_threads';

const channel = new BroadcastChannel(`ccscope test ${workerData.seed}`);
channel.onmessage = ({ data }) => {
  if (data === 'exit') process.exit(3);
  throw new Error('out of luck');
};
channel.unref();
await import('../../dist/lib/shaper/thread/link_thread.js');
