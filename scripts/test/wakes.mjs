// How well the machine keeps time while tests judge rates and delays: a thread that sleeps 5 ms again and
// again, with nothing of ccscope in it, tells when it was woken late. Another machine on the same processors
// takes them away just so, unseen by any count of processes.
import { Worker } from 'node:worker_threads';

const SLEEP_MS = 5;
/** A free machine wakes a sleeper within a tenth of this. */
const LATE_MS = 1;
/** A share of an attempt's time: beyond it one packet in twenty, which a 95th percentile sees, waits for the machine. */
const MOST_LATE_SHARE = 0.05;

const sleeper = `
  const { parentPort } = require('node:worker_threads');
  const never = new Int32Array(new SharedArrayBuffer(4));
  const now = () => performance.timeOrigin + performance.now();
  for (let fromMs = now(); ; ) {
    Atomics.wait(never, 0, 0, ${SLEEP_MS});
    const toMs = now();
    const lateMs = toMs - fromMs - ${SLEEP_MS};
    if (lateMs > ${LATE_MS}) parentPort.postMessage({ toMs, lateMs });
    fromMs = toMs;
  }`;

/** Watches from now on. Times are milliseconds of the Unix epoch. */
export function watchWakes() {
  const late = [];
  const worker = new Worker(sleeper, { eval: true });
  worker.on('message', (wake) => late.push(wake));
  worker.unref();
  return {
    /** The share of a time for which the sleeper waited to be woken. */
    lateShare: (fromMs, toMs) => lateShare(late, fromMs, toMs),
    stop: () => worker.terminate(),
  };
}

/** The share of a time that lies between when a wake-up was due and when it came. */
export function lateShare(late, fromMs, toMs) {
  const overlapMs = ({ toMs: endMs, lateMs }) => Math.min(endMs, toMs) - Math.max(endMs - lateMs, fromMs);
  const sumMs = late.reduce((sum, wake) => sum + Math.max(0, overlapMs(wake)), 0);
  return toMs > fromMs ? sumMs / (toMs - fromMs) : 0;
}

/** Whether the machine was taken away in each of the attempts at a test. */
export const isTaken = (wakes, attempts) =>
  attempts.length > 0 &&
  attempts.every(({ fromMs, toMs }) => wakes.lateShare(fromMs, toMs) > MOST_LATE_SHARE);
