// Measures how late the machine wakes threads, while tests judge rates and delays. A thread that runs no code of
// ccscope repeatedly sleeps for 5 ms, and reports late wake-ups. Late wake-ups and the processors' `steal` time
// together show that other virtual machines on the same host have used the processors.
import { existsSync, readFileSync } from 'node:fs';
import { Worker } from 'node:worker_threads';

const SLEEP_MS = 5;
/** A wake-up that is later than this counts as late. A machine without other work wakes a sleeper within 0.1 ms. */
const LATE_MS = 1;
/**
 * Wake-ups may be overdue for at most this share of an attempt's time. Beyond this share, more than one packet in
 * twenty waits for the machine, which distorts a 95th percentile.
 */
const MOST_LATE_SHARE = 0.05;
/**
 * A failure is excused only if other virtual machines used at least this share of the processors' time. If they used
 * less, this machine itself caused the delay.
 */
const LEAST_STOLEN_SHARE = 0.01;
const LOOK_MS = 250;
const PROCESSORS = '/proc/stat';

/**
 * The processors' time so far, and the part of it that other virtual machines used (proc_stat(5), `steal`);
 * null if the system does not report it.
 */
function processorTime() {
  if (!existsSync(PROCESSORS)) return null;
  const [line = ''] = readFileSync(PROCESSORS, 'utf8').split('\n');
  // The columns after `steal` are left out: they contain the time of guests, which `user` already includes.
  const times = line.trim().split(/\s+/).slice(1, 9).map(Number);
  return { all: times.reduce((sum, time) => sum + time, 0), stolen: times[7] ?? 0 };
}

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

/** Starts watching. Times are milliseconds of the Unix epoch. */
export function watchWakes() {
  const late = [];
  const worker = new Worker(sleeper, { eval: true });
  worker.on('message', (wake) => late.push(wake));
  worker.unref();
  const looks = [];
  const look = () => looks.push({ atMs: Date.now(), ...processorTime() });
  const timer = setInterval(look, LOOK_MS).unref();
  look();
  return {
    /** The fraction of a period during which a wake-up of the sleeping thread was overdue. */
    lateShare: (fromMs, toMs) => lateShare(late, fromMs, toMs),
    /** The fraction of the processors' time that other virtual machines used during a period. */
    stolenShare: (fromMs, toMs) => stolenShare(looks, fromMs, toMs),
    stop: () => {
      clearInterval(timer);
      return worker.terminate();
    },
  };
}

/** The fraction of a period that lies between the due time of a wake-up and the wake-up itself. */
export function lateShare(late, fromMs, toMs) {
  const overlapMs = ({ toMs: endMs, lateMs }) => Math.min(endMs, toMs) - Math.max(endMs - lateMs, fromMs);
  const sumMs = late.reduce((sum, wake) => sum + Math.max(0, overlapMs(wake)), 0);
  return toMs > fromMs ? sumMs / (toMs - fromMs) : 0;
}

/** The fraction of the processors' time that other virtual machines used; 0 if it is not known. */
export function stolenShare(looks, fromMs, toMs) {
  const inside = looks.filter(({ atMs, all }) => all !== undefined && atMs >= fromMs && atMs <= toMs);
  const [first, last] = [inside[0], inside.at(-1)];
  return last?.all > first?.all ? (last.stolen - first.stolen) / (last.all - first.all) : 0;
}

/** Whether other virtual machines took away processor time during each attempt at a test. */
export const isTaken = (wakes, attempts) =>
  attempts.length > 0 &&
  attempts.every(
    ({ fromMs, toMs }) =>
      wakes.lateShare(fromMs, toMs) > MOST_LATE_SHARE && wakes.stolenShare(fromMs, toMs) > LEAST_STOLEN_SHARE,
  );

/**
 * Splits a period into equal parts, one for each attempt at a test. Used if only the total time of the attempts is
 * known.
 */
export function partsOf(fromMs, toMs, count) {
  const lengthMs = (toMs - fromMs) / count;
  return Array.from({ length: count }, (_, i) => ({
    fromMs: fromMs + i * lengthMs,
    toMs: fromMs + (i + 1) * lengthMs,
  }));
}
