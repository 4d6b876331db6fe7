import { tableSpec, type TraceBatch } from '../../core/index.js';
import { RowFormatter } from '../../trace/index.js';
import { counted } from '../../text/counted.js';

/** The tables that a replay produces. */
export const REPLAY_TABLES = ['group', 'rate', 'nada', 'lcc'] as const;
export type ReplayTable = (typeof REPLAY_TABLES)[number];
export type RowFormat = 'ndjson' | 'csv';

const SIGNALS = tableSpec('group').columns.find(({ name }) => name === 'signal')?.values ?? [];

/** Formats rows as NDJSON or CSV. In NDJSON each row has a `type`. In CSV a missing value is an empty cell. */
export class RowText {
  readonly #format: RowFormat;
  readonly #formatters = new Map(REPLAY_TABLES.map((table) => [table, new RowFormatter(tableSpec(table))]));

  constructor(format: RowFormat) {
    this.#format = format;
  }

  /** The CSV header line; empty for NDJSON. */
  head(table: ReplayTable): string {
    if (this.#format === 'ndjson') return '';
    return `${tableSpec(table)
      .columns.map(({ name }) => name)
      .join(',')}\n`;
  }

  rows(table: ReplayTable, batch: TraceBatch): string {
    let text = '';
    for (let row = 0; row < batch.rows; row++) {
      text +=
        this.#format === 'csv'
          ? csvLine(table, batch, row)
          : (this.#formatters.get(table)?.line(batch.columns, row) ?? '');
      text += '\n';
    }
    return text;
  }
}

function csvLine(table: ReplayTable, { columns }: TraceBatch, row: number): string {
  const cells = tableSpec(table).columns.map((column, index) => {
    const value = columns[index]?.[row] ?? NaN;
    return Number.isFinite(value) ? (column.values?.[value] ?? String(value)) : '';
  });
  return cells.join(',');
}

/**
 * Summarises a replay: the numbers of rows, how often the detector entered its states, and the final rates.
 */
export class ReplaySummary {
  /** Rows per table. The tables of NADA and LCC appear only if they have rows; `group` and `rate` always appear. */
  readonly #rows: { group: number; rate: number; nada?: number; lcc?: number } = { group: 0, rate: 0 };
  readonly #entered = { overuse: 0, underuse: 0 };
  readonly #signal = new Map<number, string>();
  readonly #final = new Map<number, { a_r_bps: number; target_bps: number | null }>();

  count(table: ReplayTable, batch: TraceBatch): void {
    this.#rows[table] = (this.#rows[table] ?? 0) + batch.rows;
    if (table === 'nada' || table === 'lcc') return;
    const column = (name: string): Float64Array | undefined =>
      batch.columns[tableSpec(table).columns.findIndex((item) => item.name === name)];
    const [flows, signals, rates, targets] = ['flow', 'signal', 'a_r_bps', 'target_bps'].map(column);
    for (let row = 0; row < batch.rows; row++) {
      const flow = flows?.[row] ?? 0;
      const target = targets?.[row] ?? this.#final.get(flow)?.target_bps ?? null;
      this.#final.set(flow, { a_r_bps: rates?.[row] ?? NaN, target_bps: target });
      if (signals !== undefined) this.#enter(flow, SIGNALS[signals[row] ?? -1] ?? '');
    }
  }

  #enter(flow: number, signal: string): void {
    const changed = this.#signal.get(flow) !== signal;
    this.#signal.set(flow, signal);
    if (changed && (signal === 'overuse' || signal === 'underuse')) this.#entered[signal] += 1;
  }

  /** The row counts of the given tables, for example `800 rows (500 group, 300 rate)`. */
  rowsText(tables: readonly ReplayTable[]): string {
    const counts = tables.flatMap((table) => {
      const rows = this.#rows[table];
      return rows === undefined ? [] : [{ table, rows }];
    });
    const total = counts.reduce((sum, { rows }) => sum + rows, 0);
    const each = counts.map(({ table, rows }) => `${rows} ${table}`).join(', ');
    return `${counted(total, 'row')} (${each})`;
  }

  /** `overuse_count`, `underuse_count`: how often the overuse detector entered these states. */
  result(arrivals: number): Record<string, unknown> {
    return {
      rows: { arrival: arrivals, ...this.#rows },
      overuse_count: this.#entered.overuse,
      underuse_count: this.#entered.underuse,
      flows: [...this.#final].map(([flow, final]) => ({ flow, final })),
    };
  }
}
