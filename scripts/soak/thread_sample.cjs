// What a thread of a soaked process tells of its heap when it is asked: threads.mjs has each thread load this.
// A thread that is left alone keeps its garbage for longer than a soak lasts.
const { BroadcastChannel, threadId } = require('node:worker_threads');

const channel = new BroadcastChannel('ccscope.soak');
channel.onmessage = ({ data }) => {
  if (data !== 'sample') return;
  globalThis.gc();
  channel.postMessage({ threadId, heapBytes: process.memoryUsage().heapUsed });
};
channel.unref();
