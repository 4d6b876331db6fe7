// A replacement for a link's thread. It starts normally, and fails at the first request.
import { parentPort } from 'node:worker_threads';

const relay = { address: '127.0.0.1', port: 1 };
parentPort.postMessage({ kind: 'ready', a: relay, b: relay });
parentPort.on('message', () => {
  throw new Error('out of luck');
});
