// Reports the size of a thread's heap on request; threads.mjs makes each thread of a soaked process load this.
// It collects the garbage first, since an idle thread would keep it for longer than a soak lasts.
const { BroadcastChannel, threadId } = require('node:worker_threads');

const channel = new BroadcastChannel('ccscope.soak');
channel.onmessage = ({ data }) => {
  if (data !== 'sample') return;
  globalThis.gc();
  channel.postMessage({ threadId, heapBytes: process.memoryUsage().heapUsed });
};
channel.unref();
