/**
 * Detects that a worker has ended, which browsers do not report. The worker holds a lock, and the browser frees
 * the lock when the worker ends.
 */

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
 * If the worker has not taken its lock by this time, its script will never start. Even a busy machine loads a
 * script much faster.
 */
const BEGIN_MS = 30_000;

/**
 * In the page: makes a worker hold a lock. Dispatches an `error` event on the worker when it has ended for any
 * reason, or if it does not hold the lock within `beginMs`. Outside secure contexts there are no locks, and
 * nothing is detected.
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
  // If the worker ends before it holds the lock, `hold` never resolves.
  const late = setTimeout(() => end(`it did not begin within ${beginMs / 1000} s`), beginMs);
  await hold(name);
  clearTimeout(late);
  await navigator.locks.request(name, () => undefined);
  end('it ended');
}
