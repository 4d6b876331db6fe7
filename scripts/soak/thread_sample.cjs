// Reports the size of a thread's heap on request; threads.mjs makes each thread of a soaked process load this.
// The thread first collects its garbage, since an idle thread would keep garbage for longer than a soak lasts.
const { BroadcastChannel, threadId } = require('node:worker_threads');

const channel = new BroadcastChannel('ccscope.soak');
channel.onmessage = ({ data }) => {
  if (data !== 'sample') return;
  globalThis.gc();
  channel.postMessage({ threadId, heapBytes: process.memoryUsage().heapUsed });
};
channel.unref();
