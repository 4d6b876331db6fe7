// The CPU time that the browser's threads use, from the scheduler's own clock (Linux). The usual counters, in ticks
// of 10 ms, would miss threads that run for less than a tick.
import { readdirSync, readFileSync } from 'node:fs';

/** All descendants of this process. */
function children() {
  const parents = new Map();
  for (const pid of readdirSync('/proc').filter((entry) => /^\d+$/.test(entry))) {
    try {
      const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
      const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
      parents.set(Number(pid), Number(fields[1]));
    } catch {
      // The process ended while it was being read.
    }
  }
  const isOurs = (pid) => pid === process.pid || (parents.has(pid) && isOurs(parents.get(pid)));
  return [...parents.keys()].filter((pid) => pid !== process.pid && isOurs(pid));
}

/**
 * Whether a thread encodes or decodes. Encoders and decoders run in the threads of a pool, to which an observer
 * adds no work.
 */
const isCodec = (name) => name.startsWith('ThreadPoolPrese');

/**
 * The CPU seconds that threads have used so far. `all`: all threads of the browser. `codec`: the threads that encode
 * and decode. `workers`: the pages' workers. `observed`: the threads in which an observer does nearly all of its
 * work, i.e. the pages' workers and the browser's main process, which forwards messages from pages to Node.
 *
 * On a shared machine, the speed of a processor varies by 10 % from minute to minute. Encoders and decoders do the
 * same work with and without an observer, so costs are compared as multiples of their CPU time.
 */
export function browserSeconds() {
  const seconds = { all: 0, codec: 0, observed: 0, workers: 0 };
  for (const pid of children()) {
    try {
      const isFirst = !readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes('--type=');
      for (const task of readdirSync(`/proc/${pid}/task`)) {
        const taken = Number(readFileSync(`/proc/${pid}/task/${task}/schedstat`, 'utf8').split(' ')[0]) / 1e9;
        const name = readFileSync(`/proc/${pid}/task/${task}/comm`, 'utf8');
        seconds.all += taken;
        if (isCodec(name)) seconds.codec += taken;
        const isWorker = name.startsWith('DedicatedWorker');
        if (isWorker) seconds.workers += taken;
        if (isFirst || isWorker) seconds.observed += taken;
      }
    } catch {
      // The process or the thread ended while it was being read.
    }
  }
  return seconds;
}

/** The CPU seconds that were used since `before`, an earlier result of browserSeconds(). */
export function secondsSince(before) {
  const now = browserSeconds();
  return Object.fromEntries(Object.entries(now).map(([name, seconds]) => [name, seconds - before[name]]));
}
