// What the browser's threads take, from the scheduler's own clock (Linux): ticks of 10 ms miss threads that
// run for less.
import { readdirSync, readFileSync } from 'node:fs';

/** The processes below this one. */
function children() {
  const parents = new Map();
  for (const pid of readdirSync('/proc').filter((entry) => /^\d+$/.test(entry))) {
    try {
      const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
      const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
      parents.set(Number(pid), Number(fields[1]));
    } catch {
      // The process ended while it was looked at.
    }
  }
  const isOurs = (pid) => pid === process.pid || (parents.has(pid) && isOurs(parents.get(pid)));
  return [...parents.keys()].filter((pid) => pid !== process.pid && isOurs(pid));
}

/** Threads of encoders and decoders: a pool's, which an observer gives nothing to do. */
const isCodec = (name) => name.startsWith('ThreadPoolPrese');

/**
 * CPU seconds so far: `all` of the browser's threads; `codec` of those that encode and decode; `observed` of those
 * in which an observer is nearly alone, the pages' workers and the browser's first process, which carries what pages
 * tell Node; `workers` of the pages' workers alone.
 *
 * How fast a processor is changes by a tenth from minute to minute on a machine that is shared. Encoders and decoders
 * have the same work with an observer and without, so costs are compared as multiples of theirs.
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
      // The process or the thread ended while it was looked at.
    }
  }
  return seconds;
}

/** What was taken since an earlier look. */
export function secondsSince(before) {
  const now = browserSeconds();
  return Object.fromEntries(Object.entries(now).map(([name, seconds]) => [name, seconds - before[name]]));
}
