/** Detects the end of a worker, which browsers do not report: a lock that it holds becomes free. */

/** In the worker: holds a lock of this name for as long as the worker lives. Resolves when it has the lock. */
export function holdLife(name: string): Promise<void> {
  return new Promise((held) => {
    void navigator.locks.request(name, () => {
      held();
      return new Promise<never>(() => undefined);
    });
  });
}

/**
 * A worker whose script has not started by this time never will: even a busy machine loads a script in a
 * fraction of it.
 */
const BEGIN_MS = 30_000;

/**
 * In the page: makes a worker hold a lock, and dispatches an `error` event on the worker when it has ended, for
 * whatever reason, or has not started in time. Outside secure contexts there are no locks, so nothing is
 * detected.
 */
export async function watchLife(
  worker: Worker,
  hold: (name: string) => Promise<void>,
  beginMs = BEGIN_MS,
): Promise<void> {
  if (!('locks' in navigator)) return;
  const name = crypto.randomUUID();
  const end = (message: string): boolean =>
    worker.dispatchEvent(new ErrorEvent('error', { message, cancelable: true }));
  // A worker that ends before it holds the lock never gets it.
  const late = setTimeout(() => end(`it did not begin within ${beginMs / 1000} s`), beginMs);
  await hold(name);
  clearTimeout(late);
  await navigator.locks.request(name, () => undefined);
  end('it ended');
}
