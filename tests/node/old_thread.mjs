// A link's thread that reports its schedules as if they had started ten minutes earlier than they did.
import { parentPort } from 'node:worker_threads';

const post = parentPort.postMessage.bind(parentPort);
parentPort.postMessage = (message, transfer) => {
  if (message.kind === 'batch' && message.forward.scheduleStartUs !== null)
    message.forward.scheduleStartUs -= 600e6;
  post(message, transfer);
};
await import('../../dist/lib/shaper/thread/link_thread.js');
