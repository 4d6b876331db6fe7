/**
 * Stores columns of numbers in one buffer. Each column uses the narrowest type that represents all its values
 * exactly.
 */

type Numbers = Uint8Array | Uint16Array | Uint32Array | Float32Array | Float64Array;

/**
 * The array type of each kind of column, from narrow to wide. Kind 0 stores no values, because all values of
 * such a column equal its base.
 */
const KINDS = [null, Uint8Array, Uint16Array, Uint32Array, Float32Array, Float64Array] as const;
const MOST = [0, 2 ** 8, 2 ** 16, 2 ** 32];
const [FLOAT32, FLOAT64] = [4, 5];

/**
 * Returns the kind that can store these values, and the base. The stored numbers are the values minus the base.
 */
function kindOf(values: Float64Array): { kind: number; base: number } {
  const first = values[0] ?? NaN;
  if (values.every((value) => Object.is(value, first))) return { kind: 0, base: first };
  // Only safe integers get a base, since their differences are exact. -0 is excluded, because 0 would replace
  // it.
  if (values.every((value) => Number.isSafeInteger(value) && !Object.is(value, -0))) {
    const least = values.reduce((least, value) => Math.min(least, value), Infinity);
    const most = values.reduce((most, value) => Math.max(most, value), -Infinity);
    const kind = MOST.findIndex((each) => most - least < each);
    if (kind > 0) return { kind, base: least };
  }
  const isShort = values.every((value) => Object.is(Math.fround(value), value));
  return { kind: isShort ? FLOAT32 : FLOAT64, base: 0 };
}

/** Stores columns one after the other, and returns them by their index. */
export class PackedColumns {
  readonly #pieces: Uint8Array[] = [];
  readonly #described: { kind: number; base: number; rows: number }[] = [];
  #bytes = new Uint8Array(0);
  #kinds = new Uint8Array(0);
  #bases = new Float64Array(0);
  #rows = new Uint32Array(0);
  /** Where each column starts in the buffer. */
  #offsets = new Uint32Array(0);

  /** Adds a column; returns its index. */
  add(values: Float64Array): number {
    const { kind, base } = kindOf(values);
    const make = KINDS[kind];
    if (make) {
      const numbers: Numbers = new make(values.length);
      for (let i = 0; i < values.length; i++) numbers[i] = (values[i] as number) - base;
      this.#pieces.push(new Uint8Array(numbers.buffer));
    } else this.#pieces.push(new Uint8Array(0));
    return this.#described.push({ kind, base, rows: values.length }) - 1;
  }

  /** Moves all columns into one buffer. After this, no column can be added. */
  finish(): void {
    this.#bytes = new Uint8Array(this.#pieces.reduce((sum, { length }) => sum + length, 0));
    this.#kinds = Uint8Array.from(this.#described, ({ kind }) => kind);
    this.#bases = Float64Array.from(this.#described, ({ base }) => base);
    this.#rows = Uint32Array.from(this.#described, ({ rows }) => rows);
    this.#offsets = new Uint32Array(this.#pieces.length);
    let at = 0;
    this.#pieces.forEach((piece, i) => {
      this.#bytes.set(piece, at);
      this.#offsets[i] = at;
      at += piece.length;
    });
    this.#pieces.length = 0;
    this.#described.length = 0;
  }

  get memoryBytes(): number {
    const parts = [this.#bytes, this.#kinds, this.#bases, this.#rows, this.#offsets];
    return parts.reduce((sum, { byteLength }) => sum + byteLength, 0);
  }

  /** Returns the values of the column with this index. */
  column(place: number): Float64Array<ArrayBuffer> {
    const rows = this.#rows[place] ?? 0;
    const base = this.#bases[place] ?? NaN;
    const make = KINDS[this.#kinds[place] ?? 0];
    if (!make) return new Float64Array(rows).fill(base);
    const from = this.#offsets[place] ?? 0;
    const bytes = this.#bytes.slice(from, from + rows * make.BYTES_PER_ELEMENT);
    const values = Float64Array.from(new make(bytes.buffer) as Numbers);
    if (base !== 0) for (let i = 0; i < rows; i++) values[i] = (values[i] as number) + base;
    return values;
  }
}
