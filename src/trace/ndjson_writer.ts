import type { TableSpec } from '../core/index.js';
import type { TraceHeader } from './header.js';
import type { TraceData } from './trace_data.js';

const CHUNK_LENGTH = 64 * 1024;

/** A double in JSON with the fewest digits that read back as the same double (−0 stays −0). */
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
   * The row `row` of the columns as a line without a line feed. Absent values (NaN) and infinities,
   * which JSON cannot express, are left out. `extra` are further members, as `,"name":value…`.
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

/** The first line. The version comes first, whatever the order of the fields. */
export function formatHeader(header: TraceHeader): string {
  const { ccscope_trace, ...rest } = header;
  return JSON.stringify({ ccscope_trace, ...rest });
}

/**
 * A trace as NDJSON in chunks of about 64 kB: the header, then every row of every table, every event
 * and every row of a type that is not known here, in the order in which they were appended.
 */
export function* formatTrace(trace: TraceData, header: TraceHeader): Generator<string, void> {
  let chunk = `${formatHeader(header)}\n`;
  for (const line of trace.lines()) {
    chunk += line;
    chunk += '\n';
    if (chunk.length >= CHUNK_LENGTH) {
      yield chunk;
      chunk = '';
    }
  }
  if (chunk !== '') yield chunk;
}
