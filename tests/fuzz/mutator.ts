/** Seeded mutation of inputs: a given seed yields the same inputs on every platform. */

/** A generator of whole numbers below 2^32 (splitmix32, public domain). */
export class Random {
  #state: number;

  constructor(seed: number) {
    this.#state = seed | 0;
  }

  next(): number {
    this.#state = (this.#state + 0x9e3779b9) | 0;
    let t = this.#state ^ (this.#state >>> 16);
    t = Math.imul(t, 0x21f0aaad);
    t ^= t >>> 15;
    t = Math.imul(t, 0x735a2d97);
    return (t ^ (t >>> 15)) >>> 0;
  }

  /** A whole number from 0 up to, but not including, `range`. */
  below(range: number): number {
    return this.next() % range;
  }

  of<T>(items: readonly T[]): T | undefined {
    return items[this.below(items.length)];
  }
}

const text = (value: string): Uint8Array => new TextEncoder().encode(value);

/** Numbers at or beyond the limits that parsers have. */
const NUMBERS = [
  ...['0', '-0', '1', '-1', '255', '256', '65536', '2147483648', '4294967295', '9007199254740993'],
  ...['1e9', '1e21', '1e308', '1e999', '-1e308', '5e-324', '0.1', '1e-9', 'NaN', 'Infinity', '0x10', '1_0'],
].map(text);
/** Characters that have a meaning in most languages. */
const MARKS = [' ', '\t', '\n', '\r\n', ',', ':', ';', '=', '@', '/', '"', '\\', '{', '}', '[', ']'].map(
  text,
);
const ODD = ['__proto__', 'constructor', 'toString', '\u0000', '\ufeff', '\ud83d\ude00', '%00', 'null'].map(
  text,
);
const BYTES = [0, 1, 0x7f, 0x80, 0xff];
/** Longer inputs are cut to this length. */
const MAX_BYTES = 16_384;
const MOST_REPEATS = 4096;

function spliced(bytes: Uint8Array, from: number, to: number, put: Uint8Array): Uint8Array {
  const out = new Uint8Array(bytes.length - (to - from) + put.length);
  out.set(bytes.subarray(0, from));
  out.set(put, from);
  out.set(bytes.subarray(to), from + put.length);
  return out;
}

/** Makes each input from a seed with a few changes. Now and then, a change repeats a span many times. */
export class Mutator {
  #random: Random;
  readonly #seeds: readonly Uint8Array[];
  readonly #words: readonly Uint8Array[];

  constructor(
    seeds: readonly (string | Uint8Array)[],
    words: readonly string[],
    private readonly seed: number,
  ) {
    this.#random = new Random(seed);
    this.#seeds = seeds.map((each) => (typeof each === 'string' ? text(each) : each));
    this.#words = [...words.map(text), ...MARKS];
  }

  /**
   * The input with this number, which does not depend on earlier inputs. The first numbers give the unchanged
   * seeds.
   */
  at(index: number): Uint8Array {
    const plain = this.#seeds[index];
    if (plain !== undefined) return plain.slice();
    this.#random = new Random(Math.imul(this.seed + 1, 0x85ebca6b) ^ Math.imul(index, 0xc2b2ae35));
    return this.#mutated();
  }

  #mutated(): Uint8Array {
    let bytes = this.#random.of(this.#seeds) ?? new Uint8Array(0);
    const changes = 1 + this.#random.below(4);
    for (let i = 0; i < changes; i++) bytes = this.#change(bytes);
    return bytes.length > MAX_BYTES ? bytes.slice(0, MAX_BYTES) : bytes.slice();
  }

  #change(bytes: Uint8Array): Uint8Array {
    const random = this.#random;
    const at = random.below(bytes.length + 1);
    const end = Math.min(bytes.length, at + 1 + random.below(random.below(4) === 0 ? 64 : 8));
    const insert = (put: Uint8Array | undefined): Uint8Array =>
      spliced(bytes, at, random.below(2) === 0 ? at : end, put ?? new Uint8Array(0));
    switch (random.below(12)) {
      case 0:
        return this.#flipped(bytes, at);
      case 1:
        return spliced(bytes, at, Math.min(at + 1, bytes.length), Uint8Array.of(random.of(BYTES) ?? 0));
      case 2:
        return spliced(bytes, at, end, new Uint8Array(0));
      case 3:
        return bytes.subarray(0, at);
      case 4:
        return this.#crossed(bytes, at);
      case 5:
        return this.#repeated(bytes, at, end);
      case 6:
        return insert(random.of(NUMBERS));
      case 7:
        return insert(random.of(ODD));
      case 8:
        return insert(bytes.slice(at, end));
      case 9:
        return insert(Uint8Array.of(random.below(256)));
      default:
        return insert(random.of(this.#words));
    }
  }

  #flipped(bytes: Uint8Array, at: number): Uint8Array {
    const out = bytes.slice();
    if (at < out.length) out[at] = (out[at] ?? 0) ^ (1 << this.#random.below(8));
    return out;
  }

  /** Joins the beginning of these bytes and the end of another seed. */
  #crossed(bytes: Uint8Array, at: number): Uint8Array {
    const other = this.#random.of(this.#seeds) ?? bytes;
    return spliced(bytes, at, bytes.length, other.subarray(this.#random.below(other.length + 1)));
  }

  /** Repeats a span or a word many times, which reveals parsers that need more than linear time. */
  #repeated(bytes: Uint8Array, at: number, end: number): Uint8Array {
    const random = this.#random;
    const span = random.below(2) === 0 ? (random.of(this.#words) ?? bytes) : bytes.slice(at, end);
    if (span.length === 0) return bytes;
    const most = random.below(64) === 0 ? MOST_REPEATS : 16;
    const count = Math.max(1, Math.min(1 + random.below(most), Math.floor(MAX_BYTES / span.length)));
    const put = new Uint8Array(span.length * count);
    for (let i = 0; i < count; i++) put.set(span, i * span.length);
    return spliced(bytes, at, at, put);
  }
}
