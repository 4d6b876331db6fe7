// How well the machine keeps time while tests judge rates and delays: a thread that sleeps for 5 ms again and again,
// and contains nothing of ccscope, reports when it was woken late. Late wake-ups reveal that another (virtual) machine
// took the processors away, which cannot be seen from the processes of this machine.
import { existsSync, readFileSync } from 'node:fs';
import { Worker } from 'node:worker_threads';

const SLEEP_MS = 5;
/** A free machine wakes a sleeper within a tenth of this. */
const LATE_MS = 1;
/**
 * The largest share of an attempt's time that may be late: beyond it, one packet in twenty waits for the machine, which
 * affects a 95th percentile.
 */
const MOST_LATE_SHARE = 0.05;
/**
 * The smallest share of the processors' time that other machines must have had: with less, the delay was caused by this
 * machine itself.
 */
const LEAST_STOLEN_SHARE = 0.01;
const LOOK_MS = 250;
const PROCESSORS = '/proc/stat';

/**
 * How much time there was, and how much of it went to other machines (proc_stat(5), `steal`); null if the system does
 * not report it.
 */
function processorTime() {
  if (!existsSync(PROCESSORS)) return null;
  const [line = ''] = readFileSync(PROCESSORS, 'utf8').split('\n');
  // The later columns are left out: time spent on running guests is already included in `user`.
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

/** Watches from now on. Times are milliseconds of the Unix epoch. */
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
    /** The share of a period during which the sleeper was overdue to be woken. */
    lateShare: (fromMs, toMs) => lateShare(late, fromMs, toMs),
    /** The share of the processors' time in a period that went to other machines. */
    stolenShare: (fromMs, toMs) => stolenShare(looks, fromMs, toMs),
    stop: () => {
      clearInterval(timer);
      return worker.terminate();
    },
  };
}

/** The share of a period that lies between the time at which a wake-up was due and the time at which it came. */
export function lateShare(late, fromMs, toMs) {
  const overlapMs = ({ toMs: endMs, lateMs }) => Math.min(endMs, toMs) - Math.max(endMs - lateMs, fromMs);
  const sumMs = late.reduce((sum, wake) => sum + Math.max(0, overlapMs(wake)), 0);
  return toMs > fromMs ? sumMs / (toMs - fromMs) : 0;
}

/** The share of the processors' time that went to other machines; 0 where that is not known. */
export function stolenShare(looks, fromMs, toMs) {
  const inside = looks.filter(({ atMs, all }) => all !== undefined && atMs >= fromMs && atMs <= toMs);
  const [first, last] = [inside[0], inside.at(-1)];
  return last?.all > first?.all ? (last.stolen - first.stolen) / (last.all - first.all) : 0;
}

/** Whether other machines took this machine's processors away during every one of the attempts at a test. */
export const isTaken = (wakes, attempts) =>
  attempts.length > 0 &&
  attempts.every(
    ({ fromMs, toMs }) =>
      wakes.lateShare(fromMs, toMs) > MOST_LATE_SHARE && wakes.stolenShare(fromMs, toMs) > LEAST_STOLEN_SHARE,
  );

/** Splits a period into equal parts, one for each attempt at a test of which only the total time is known. */
export function partsOf(fromMs, toMs, count) {
  const lengthMs = (toMs - fromMs) / count;
  return Array.from({ length: count }, (_, i) => ({
    fromMs: fromMs + i * lengthMs,
    toMs: fromMs + (i + 1) * lengthMs,
  }));
}
