// Keeps track of the memories of WebAssembly modules that this process makes: V8's statistics do not
// include them.

/** @type {WeakRef<WebAssembly.Memory>[]} */
let seen = [];

/** Starts watching. Call this before the modules are instantiated: earlier memories are not counted. */
export function watchMemories() {
  const { instantiate } = WebAssembly;
  WebAssembly.instantiate = async (...args) => {
    const made = await instantiate(...args);
    const { memory } = (made.instance ?? made).exports;
    if (memory !== undefined) seen.push(new WeakRef(memory));
    return made;
  };
}

/** How many memories there are, and their total size in pages of 64 KiB. */
export function wasmPages() {
  seen = seen.filter((memory) => memory.deref() !== undefined);
  const pages = seen.reduce((sum, memory) => sum + (memory.deref()?.buffer.byteLength ?? 0) / 65_536, 0);
  return { memories: seen.length, pages };
}
