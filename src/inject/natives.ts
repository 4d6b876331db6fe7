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

/**
 * The browser's prototype of all connections, in a window that has connections. A page may have replaced the class by a
 * subclass of its own, or by a class that passes calls on to a connection. These have methods of the same names, so the
 * deepest prototype counts. Pages seldom replace the older name that Chromium has for the class.
 */
export function connectionPrototype(): RTCPeerConnection {
  const classes = scope as unknown as Record<string, { prototype: object } | undefined>;
  let found: object = RTCPeerConnection.prototype;
  for (const name of ['RTCPeerConnection', 'webkitRTCPeerConnection'])
    for (let at = classes[name]?.prototype; at; at = Object.getPrototypeOf(at) as object | undefined)
      if (Object.hasOwn(at, 'setRemoteDescription')) found = at;
  return found as RTCPeerConnection;
}

const { isPrototypeOf } = Object.prototype;

/** Returns a test whether a value is a connection of the browser, also one of a subclass. */
export function connectionTest(): (value: unknown) => value is RTCPeerConnection {
  const prototype = connectionPrototype();
  return (value): value is RTCPeerConnection => isPrototypeOf.call(prototype, value as object);
}

/** Runs `work`. Returns undefined if `work` throws, because an error here must never affect the page. */
export function attempt<T>(work: () => T): T | undefined {
  try {
    return work();
  } catch {
    return undefined;
  }
}
