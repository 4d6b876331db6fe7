/** The browser functions that the observer uses, saved before the page can change them. */

const scope = globalThis;

export const setInterval = scope.setInterval.bind(scope);
export const clearInterval = scope.clearInterval.bind(scope);
export const setTimeout = scope.setTimeout.bind(scope);
export const clearTimeout = scope.clearTimeout.bind(scope);
export const stringify = JSON.stringify.bind(JSON);
export const { WeakRef } = scope;

const now = performance.now.bind(performance);
const { timeOrigin } = performance;

/** Milliseconds since the Unix epoch, on the monotonic clock. */
export const epochMs = (): number => timeOrigin + now();

const add = EventTarget.prototype.addEventListener;

/** Adds a listener. It runs before listeners that the page adds later, and its errors do not reach the page. */
export function listen(target: EventTarget, type: string, listener: (event: Event) => void): void {
  add.call(target, type, (event) => attempt(() => listener(event)));
}

/** Runs `work`. Returns undefined if `work` throws, because an error here must never affect the page. */
export function attempt<T>(work: () => T): T | undefined {
  try {
    return work();
  } catch {
    return undefined;
  }
}
