/**
 * Finds connections that the page created before it was observed. No API lists them, so they are recognised
 * when they appear in one of three ways: the page uses a method or an attribute of a connection; the page
 * reads an event whose target is a connection; or a connection can be reached from properties of the window
 * or of elements.
 */
import { attempt, connectionTest } from './natives.js';
import { patch, patchGetter } from './patch.js';

type Found = (peer: RTCPeerConnection) => void;

/** Reports each object on which a method or an attribute of the prototype is used. */
export function patchAllUses<T extends object>(prototype: T, used: (self: T) => void): void {
  const through = <F>(native: F): F =>
    typeof native !== 'function'
      ? native
      : new Proxy(native, {
          apply(target, self: T, args: unknown[]): unknown {
            attempt(() => used(self));
            return Reflect.apply(target, self, args) as unknown;
          },
        });
  for (const name of Object.getOwnPropertyNames(prototype)) {
    const descriptor = Object.getOwnPropertyDescriptor(prototype, name);
    if (name === 'constructor' || descriptor?.configurable !== true) continue;
    for (const part of ['value', 'get', 'set'] as const)
      if (part in descriptor) descriptor[part] = through(descriptor[part] as (() => unknown) | undefined);
    Object.defineProperty(prototype, name, descriptor);
  }
}

/**
 * Events that only connections fire. If the page reads an attribute of such an event, the target of the event
 * is a connection.
 */
const EVENTS = [
  'RTCTrackEvent',
  'RTCPeerConnectionIceEvent',
  'RTCPeerConnectionIceErrorEvent',
  'RTCDataChannelEvent',
] as const;

/**
 * Reports a connection when the page does one of three things: it reads an attribute of an event in EVENTS,
 * reads the connection as the target of any event, or calls an EventTarget method of the connection.
 */
export function patchEvents(found: Found): void {
  const scope = globalThis as unknown as Record<string, { prototype: object } | undefined>;
  const isConnection = connectionTest();
  const targetOf = Object.getOwnPropertyDescriptor(Event.prototype, 'target')?.get;
  const meet = (target: unknown): void => {
    if (isConnection(target)) found(target);
  };
  for (const { prototype } of EVENTS.flatMap((name) => scope[name] ?? []))
    for (const name of Object.getOwnPropertyNames(prototype))
      patchGetter(prototype, name, (event, value) => {
        meet(targetOf?.call(event));
        return value;
      });
  for (const name of ['target', 'currentTarget', 'srcElement'])
    patchGetter(Event.prototype, name, (_, target) => {
      meet(target);
      return target;
    });
  // Connections inherit these methods from EventTarget, so they are patched there.
  for (const name of ['addEventListener', 'removeEventListener', 'dispatchEvent'])
    patch(EventTarget.prototype, name, (self) => {
      meet(self);
      return undefined;
    });
}

/**
 * The limits of the search. A wider search would find little more: pages keep connections either close to their
 * global variables, or in closures, which no search can reach.
 */
const MOST_OBJECTS = 20_000;
const MOST_DEPTH = 6;
/**
 * The search returns control to the page after this time. The clock is read once per object, so an object
 * with very many properties can make the search take longer.
 */
const SLICE_MS = 15;

/**
 * Finds connections, receivers and transceivers that can be reached from the properties of the window, of the
 * body and its children, and of video elements. Calls no getters. Each `next()` continues the search for one
 * slice of time; a slow or busy machine needs several.
 */
export function* findConnections(
  scope: object,
  found: Found,
  foundPart: (part: RTCRtpReceiver | RTCRtpTransceiver) => void,
): Generator<undefined, void> {
  const isConnection = connectionTest();
  let endMs = performance.now() + SLICE_MS;
  const seen = new Set<object>([scope, document, navigator, location]);
  // Frameworks and pages store objects as properties of the elements that show them.
  const body = document.body as HTMLElement | null;
  const top = body === null ? [] : [body, ...body.children];
  let level: object[] = [scope, ...top, ...document.querySelectorAll('video')];
  for (let depth = 0; depth < MOST_DEPTH && level.length > 0; depth++) {
    const next: object[] = [];
    for (const holder of level) {
      if (seen.size > MOST_OBJECTS) return;
      if (performance.now() > endMs) {
        yield;
        endMs = performance.now() + SLICE_MS;
      }
      for (const value of valuesOf(holder, holder === scope)) {
        if (seen.has(value)) continue;
        seen.add(value);
        if (isConnection(value)) attempt(() => found(value));
        else if (value instanceof RTCRtpReceiver || value instanceof RTCRtpTransceiver) foundPart(value);
        else if (isWorthALook(value)) next.push(value);
      }
    }
    level = next;
  }
}

function isWorthALook(value: object): boolean {
  return !(
    value instanceof Node ||
    (value instanceof EventTarget && value === window) ||
    ArrayBuffer.isView(value)
  );
}

/**
 * The objects that `holder` references. For the window, only enumerable properties count. This leaves out the
 * browser's classes.
 */
function valuesOf(holder: object, isWindow: boolean): object[] {
  return (
    attempt(() => {
      if (holder instanceof Map || holder instanceof Set) return [...holder.values()].filter(isObject);
      const names: PropertyKey[] = isWindow ? Object.keys(holder) : Reflect.ownKeys(holder);
      return names
        .map((name) => Object.getOwnPropertyDescriptor(holder, name)?.value as unknown)
        .filter(isObject);
    }) ?? []
  );
}

const isObject = (value: unknown): value is object =>
  (typeof value === 'object' && value !== null) || typeof value === 'function';
