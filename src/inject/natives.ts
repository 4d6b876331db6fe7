/** What the observer uses of the browser, taken before the page can change it. */

const scope = globalThis;

export const setInterval = scope.setInterval.bind(scope);
export const clearInterval = scope.clearInterval.bind(scope);
export const setTimeout = scope.setTimeout.bind(scope);
export const clearTimeout = scope.clearTimeout.bind(scope);
export const stringify = JSON.stringify.bind(JSON);
export const { WeakRef } = scope;

const now = performance.now.bind(performance);
const { timeOrigin } = performance;

/** Milliseconds of the Unix epoch, on the monotonic clock. */
export const epochMs = (): number => timeOrigin + now();

const add = EventTarget.prototype.addEventListener;

/** Listens, ahead of those who do so later. */
export function listen(target: EventTarget, type: string, listener: (event: Event) => void): void {
  add.call(target, type, (event) => attempt(() => listener(event)));
}

/** Does `work`; undefined if it fails, which must never be the page's trouble. */
export function attempt<T>(work: () => T): T | undefined {
  try {
    return work();
  } catch {
    return undefined;
  }
}
