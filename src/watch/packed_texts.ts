/**
 * Packs lines that differ only in their numbers, such as those of getStats, without loss. The text around the
 * numbers is stored once, and the numbers are stored as columns.
 */
import type { PackedColumns } from './packed_column.js';

/** Marks the place of a number. Valid JSON does not contain this character. */
const HOLE = '\u0000';
const NUMBER = /-?\d+(?:\.\d+)?(?:e[+-]?\d+)?/g;

interface Shape {
  /** The text. A HOLE stands for each number. */
  text: string;
  /** The index of the first hole's column; the columns of the other holes follow. */
  first: number;
  holes: number;
}

/** Separates the numbers from a string. A number stays in the string if `String` would write it differently. */
function split(text: string): { shape: string; numbers: number[] } {
  const numbers: number[] = [];
  const shape = text.replace(NUMBER, (token) => {
    const value = Number(token);
    if (String(value) !== token) return token;
    numbers.push(value);
    return HOLE;
  });
  return { shape, numbers };
}

export class PackedTexts {
  readonly #shapes: Shape[] = [];
  /** For each text, the index of its shape. */
  readonly #order: Uint32Array<ArrayBuffer>;
  readonly memoryBytes: number;

  /** Adds the numbers of the texts to `columns`. */
  constructor(
    texts: readonly string[],
    private readonly columns: PackedColumns,
  ) {
    this.#order = new Uint32Array(texts.length);
    const known = new Map<string, { index: number; rows: number[][] }>();
    texts.forEach((text, i) => {
      const { shape, numbers } = split(text);
      const like = known.get(shape) ?? { index: known.size, rows: [] };
      known.set(shape, like);
      like.rows.push(numbers);
      this.#order[i] = like.index;
    });
    let bytes = this.#order.byteLength;
    for (const [text, { rows }] of known) {
      const holes = rows[0]?.length ?? 0;
      const places = Array.from({ length: holes }, (_, hole) =>
        columns.add(Float64Array.from(rows, (row) => row[hole] ?? NaN)),
      );
      this.#shapes.push({ text, first: places[0] ?? 0, holes });
      bytes += text.length;
    }
    this.memoryBytes = bytes;
  }

  unpack(): string[] {
    const shapes = this.#shapes.map(({ text, first, holes }) => {
      const numbers = Array.from({ length: holes }, (_, hole) => this.columns.column(first + hole));
      return { parts: text.split(HOLE), numbers, row: 0 };
    });
    return Array.from(this.#order, (index) => {
      const shape = shapes[index];
      if (shape === undefined) return '';
      const row = shape.row++;
      return shape.parts.reduce((text, part, i) => text + String(shape.numbers[i - 1]?.[row] ?? '') + part);
    });
  }
}
