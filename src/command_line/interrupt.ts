/** Ends a command early on Ctrl-C or another termination signal. */
import { constants } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';

import { FailedRun } from '../text/errors.js';

const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;
/** The longest delay of a Node timer, 2^31 - 1 ms. Longer waits need several timers. */
const LONGEST_SLEEP_MS = 2 ** 31 - 1;

/**
 * Runs `work`. The first Ctrl-C or other termination signal aborts the AbortSignal of `work` with a FailedRun.
 * The second signal ends the process at once, together with the browsers that the process started.
 */
export async function interruptible<T>(work: (signal: AbortSignal) => Promise<T>): Promise<T> {
  const stop = new AbortController();
  const end = (signal: NodeJS.Signals): void => {
    if (stop.signal.aborted) process.exit(128 + constants.signals[signal]);
    stop.abort(new FailedRun('interrupted'));
  };
  for (const signal of SIGNALS) process.on(signal, end);
  try {
    return await work(stop.signal);
  } finally {
    for (const signal of SIGNALS) process.off(signal, end);
  }
}

/** Resolves or rejects as `work` does. If the signal is aborted first, rejects at once with the signal's reason. */
export async function unlessAborted<T>(signal: AbortSignal, work: Promise<T>): Promise<T> {
  let abort: () => void = () => undefined;
  const aborted = new Promise<never>((_, reject) => {
    abort = () => reject(signal.reason as Error);
    signal.addEventListener('abort', abort, { once: true });
    if (signal.aborted) abort();
  });
  try {
    return await Promise.race([work, aborted]);
  } finally {
    signal.removeEventListener('abort', abort);
  }
}

/** Waits for the given time, which may be Infinity. Rejects when the signal is aborted. */
export async function sleepFor(ms: number, signal: AbortSignal): Promise<void> {
  for (let left = ms; left > 0; left -= LONGEST_SLEEP_MS)
    await sleep(Math.min(left, LONGEST_SLEEP_MS), undefined, { signal });
}
