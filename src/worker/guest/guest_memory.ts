/**
 * Limits the memory that a guest's JavaScript keeps in buffers and in arrays created with a length. A worker
 * that keeps gigabytes crashes its page, and browsers do not report how much memory a worker uses. Therefore
 * every allocation of at least 1 KiB is counted here, and subtracted when it is garbage-collected.
 */

type Constructor = new (...args: unknown[]) => object;

const BYTES_PER_ELEMENT = 8;
/**
 * Smaller allocations are not counted: they cost no more memory than other objects, which are not counted
 * either.
 */
const LEAST_COUNTED_BYTES = 1024;

const BUFFERS = ['ArrayBuffer', 'SharedArrayBuffer'] as const;
const VIEWS = [
  ...(['Int8Array', 'Uint8Array', 'Uint8ClampedArray', 'Int16Array', 'Uint16Array'] as const),
  ...(['Int32Array', 'Uint32Array', 'Float32Array', 'Float64Array', 'BigInt64Array'] as const),
  'BigUint64Array',
] as const;

/**
 * From now on, an allocation in this worker throws a RangeError if more than `limitBytes` would then be in
 * use. Literals, objects and strings are not counted.
 */
export function limitMemory(limitBytes: number): void {
  let heldBytes = 0;
  const collected = new FinalizationRegistry<number>((bytes) => {
    heldBytes -= bytes;
  });
  const count = (made: object, bytes: number): void => {
    if (bytes < LEAST_COUNTED_BYTES) return;
    heldBytes += bytes;
    collected.register(made, bytes);
    if (heldBytes <= limitBytes) return;
    const limit = `${limitBytes / 2 ** 20} MiB`;
    throw new RangeError(`the controller holds more than ${limit} of memory in buffers and arrays`);
  };
  for (const name of BUFFERS) counted(name, (made) => count(made, (made as ArrayBuffer).byteLength));
  for (const name of VIEWS) {
    counted(name, (made, [source]) => {
      const { buffer, byteLength } = made as Uint8Array;
      // A view of an existing buffer uses no additional memory.
      if (buffer !== source) count(buffer, byteLength);
    });
  }
  counted('Array', (made) => count(made, BYTES_PER_ELEMENT * (made as unknown[]).length));
}

/** Replaces a global constructor with a proxy that calls `look` for every object that it creates. */
function counted(name: string, look: (made: object, args: readonly unknown[]) => void): void {
  const original = (globalThis as Record<string, unknown>)[name];
  // SharedArrayBuffer is missing without cross-origin isolation.
  if (typeof original !== 'function') return;
  const proxy: Constructor = new Proxy(original as Constructor, {
    construct(target, args: unknown[], newTarget) {
      const made: unknown = Reflect.construct(target, args, newTarget === proxy ? target : newTarget);
      look(made as object, args);
      return made as object;
    },
    apply(target, self, args: unknown[]) {
      // Array may be called without `new`. The other constructors then throw.
      const made: unknown = Reflect.apply(target, self, args);
      look(made as object, args);
      return made;
    },
  });
  (original as { prototype: { constructor: unknown } }).prototype.constructor = proxy;
  (globalThis as Record<string, unknown>)[name] = proxy;
}
