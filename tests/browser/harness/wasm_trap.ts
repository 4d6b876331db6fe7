/** Rewrites a WebAssembly module so that one of its exported functions traps. */

const SECTION = { import: 2, export: 7, code: 10 } as const;
const FUNCTION_KIND = 0;
/** A function body: no local variables, `unreachable`, `end`. */
const TRAP = [0, 0x00, 0x0b];

class Reader {
  constructor(
    readonly bytes: Uint8Array,
    public at = 0,
  ) {}

  byte(): number {
    return this.bytes[this.at++] ?? 0;
  }

  leb(): number {
    let value = 0;
    for (let shift = 0; ; shift += 7) {
      const byte = this.byte();
      value |= (byte & 0x7f) << shift;
      if ((byte & 0x80) === 0) return value >>> 0;
    }
  }

  take(length: number): Uint8Array {
    this.at += length;
    return this.bytes.subarray(this.at - length, this.at);
  }

  text(): string {
    return new TextDecoder().decode(this.take(this.leb()));
  }
}

function leb(value: number): number[] {
  const out: number[] = [];
  do {
    const rest = value >>> 7;
    out.push((value & 0x7f) | (rest > 0 ? 0x80 : 0));
    value = rest;
  } while (value > 0);
  return out;
}

/**
 * The index of an exported function. Imported functions have the lowest indices. (The core imports only
 * functions.)
 */
function exportedFunction(section: Reader, name: string): number {
  for (let left = section.leb(); left > 0; left--) {
    const found = section.text();
    const kind = section.byte();
    const index = section.leb();
    if (found === name && kind === FUNCTION_KIND) return index;
  }
  throw new Error(`the module exports no ${name}`);
}

function joined(pieces: readonly ArrayLike<number>[]): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array(pieces.reduce((sum, { length }) => sum + length, 0));
  let at = 0;
  for (const piece of pieces) {
    bytes.set(piece, at);
    at += piece.length;
  }
  return bytes;
}

function withTrap(code: Reader, target: number): Uint8Array {
  const count = code.leb();
  const out: ArrayLike<number>[] = [leb(count)];
  for (let i = 0; i < count; i++) {
    const body = code.take(code.leb());
    const chosen = i === target ? TRAP : body;
    out.push(leb(chosen.length), chosen);
  }
  return joined(out);
}

/** The module, with the exported function `name` replaced by a function that traps. */
export function trapExport(module: Uint8Array, name: string): Uint8Array<ArrayBuffer> {
  const reader = new Reader(module);
  const out: ArrayLike<number>[] = [reader.take(8)];
  let imported = 0;
  let target = -1;
  while (reader.at < module.length) {
    const id = reader.byte();
    const content = reader.take(reader.leb());
    let written: ArrayLike<number> = content;
    if (id === SECTION.import) imported = new Reader(content).leb();
    else if (id === SECTION.export) target = exportedFunction(new Reader(content), name);
    else if (id === SECTION.code) written = withTrap(new Reader(content), target - imported);
    out.push([id], leb(written.length), written);
  }
  return joined(out);
}
