/**
 * Replaces native functions with proxies. A proxy has the same name, static members and prototype as the
 * native function. `instanceof` still works, and the proxy's text still contains `[native code]`. So pages do
 * not notice the proxy. If the code that changes arguments or results throws, the proxy behaves like the native
 * function.
 */
import { attempt } from './natives.js';

type AnyFunction = (this: unknown, ...args: never[]) => unknown;

/** Replaces a method with a proxy. `change` may replace the arguments, and `after` the result. */
export function patch(
  holder: object,
  name: string,
  change: (self: object, args: unknown[]) => unknown[] | undefined,
  after?: (self: object, args: unknown[], result: unknown) => unknown,
): void {
  const descriptor = Object.getOwnPropertyDescriptor(holder, name);
  const native = descriptor?.value as AnyFunction | undefined;
  if (descriptor === undefined || typeof native !== 'function') return;
  const value = new Proxy(native, {
    apply(target, self: object, args: unknown[]) {
      const changed = attempt(() => change(self, args)) ?? args;
      const result: unknown = Reflect.apply(target, self, changed as never[]);
      return after === undefined ? result : (attempt(() => after(self, args, result)) ?? result);
    },
  });
  Object.defineProperty(holder, name, { ...descriptor, value });
}

/** Replaces the getter of an attribute with a proxy. */
export function patchGetter(
  holder: object,
  name: string,
  after: (self: object, value: unknown) => unknown,
): void {
  const descriptor = Object.getOwnPropertyDescriptor(holder, name);
  const native = descriptor?.get;
  if (descriptor === undefined || native === undefined) return;
  const get = new Proxy(native, {
    apply(target, self: object, args) {
      const value: unknown = Reflect.apply(target, self, args);
      return attempt(() => after(self, value)) ?? value;
    },
  });
  Object.defineProperty(holder, name, { ...descriptor, get });
}

export const fields = (value: unknown): Readonly<Record<string, unknown>> | null =>
  typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : null;

export const text = (value: unknown): string | null => (typeof value === 'string' ? value : null);
