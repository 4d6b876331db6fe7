/** Formats rows and events as lines of the trace format. */
import type { TableSpec, TraceEvent } from '../core/index.js';

/** Formats a number as the shortest JSON text that parses to the same number. JSON.stringify would turn −0 into 0. */
function number(value: number): string {
  return Object.is(value, -0) ? '-0' : String(value);
}

/** Formats the rows of one table as lines of the trace format. */
export class RowFormatter {
  readonly #type: string;
  readonly #keys: readonly string[];
  readonly #values: readonly (readonly string[] | undefined)[];

  constructor(spec: TableSpec) {
    this.#type = `{"type":${JSON.stringify(spec.name)}`;
    this.#keys = spec.columns.map((column) => `,${JSON.stringify(column.name)}:`);
    this.#values = spec.columns.map((column) => column.values?.map((value) => JSON.stringify(value)));
  }

  /**
   * Row `row` of the columns as a line, without a line feed. Omits absent values (NaN) and infinities, which JSON
   * cannot express. `extra` contains further members in the form `,"name":value…`.
   */
  line(columns: readonly ArrayLike<number>[], row: number, extra = ''): string {
    let text = this.#type;
    for (let c = 0; c < this.#keys.length; c++) {
      const value = columns[c]?.[row] ?? NaN;
      if (!Number.isFinite(value)) continue;
      text += this.#keys[c] as string;
      text += this.#values[c]?.[value] ?? number(value);
    }
    return `${text}${extra}}`;
  }
}

/** An event as a line of the trace format, without a line feed. */
export function eventLine(event: TraceEvent, extra = ''): string {
  const { time_us, name, detail } = event;
  return `${JSON.stringify({ type: 'event', time_us, name, detail }).slice(0, -1)}${extra}}`;
}
