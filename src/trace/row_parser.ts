import * as v from 'valibot';

import { TABLE_SPECS, type TableName, type TraceEvent } from '../core/index.js';
import { shown, TraceError } from './errors.js';
import { isNestedTooDeeply, nestingExpectation } from '../text/nesting.js';
import { columnRule, requiredFields, type ColumnRule, type Requirement } from './row_rules.js';
import { timeColumn } from './tables.js';

/** Receives parsed rows, in the order of the file. */
export interface RowSink {
  /** `values` are in the order of the columns, with NaN for an absent value. They are valid only during the call. */
  row(table: TableName, values: Float64Array, extra: string | undefined, line: number): void;
  /** `extra` contains the members that the format does not define, in the form `,"name":value…`. */
  event(event: TraceEvent, extra: string, line: number): void;
  /** A row whose type is unknown. */
  unknown(text: string, line: number): void;
}

/** The rules for the rows of a table. */
interface TableRules {
  name: TableName;
  rules: readonly ColumnRule[];
  required: readonly Requirement[];
  known: ReadonlySet<string>;
  timeIndex: number;
  flowIndex: number;
}

/** The rules for a table, and the state of the parser within one file. */
interface TableParser extends TableRules {
  values: Float64Array;
  /** By flow: the time of the latest row. Null for tables whose rows need not be in time order. */
  latest: Map<number, number> | null;
}

const RULES: readonly TableRules[] = TABLE_SPECS.map((spec) => ({
  name: spec.name,
  rules: spec.columns.map(columnRule),
  required: requiredFields(spec.name),
  known: new Set(['type', ...spec.columns.map((column) => column.name)]),
  timeIndex: timeColumn(spec),
  flowIndex: spec.columns.findIndex((column) => column.name === 'flow'),
}));

const eventSchema = v.looseObject({
  time_us: v.pipe(v.number(), v.finite()),
  name: v.string(),
});

/** The tables that are input of a replay. Within a flow, the times of their rows must not decrease. */
const ORDERED: ReadonlySet<string> = new Set(['arrival', 'inbound']);

/** Checks the lines of a trace, and passes their values to a sink. */
export class RowParser {
  readonly #sink: RowSink;
  readonly #file: string | undefined;
  readonly #tables = new Map<string, TableParser>();
  #line = 0;

  constructor(sink: RowSink, file: string | undefined) {
    this.#sink = sink;
    this.#file = file;
    for (const table of RULES) {
      this.#tables.set(table.name, {
        ...table,
        values: new Float64Array(table.rules.length),
        latest: ORDERED.has(table.name) ? new Map() : null,
      });
    }
  }

  /** Throws TraceError with the line, the field and the expected value. */
  parse(text: string, line: number, complete: boolean): void {
    this.#line = line;
    const row = this.json(text, line, complete);
    const type = row['type'];
    if (typeof type !== 'string') this.#fail('type', 'the type of the row, such as "arrival"', type);
    const table = this.#tables.get(type);
    if (table !== undefined) this.#table(table, row);
    else if (type === 'event') this.#event(row);
    else this.#sink.unknown(text.trim(), line);
  }

  /** Parses a line as a JSON object. Throws TraceError. */
  json(text: string, line: number, complete: boolean): Record<string, unknown> {
    this.#line = line;
    let value: unknown;
    try {
      value = JSON.parse(text);
    } catch {
      this.#failJson(text, complete);
    }
    if (typeof value !== 'object' || value === null || Array.isArray(value)) {
      this.#fail('line', 'a JSON object', value);
    }
    return value as Record<string, unknown>;
  }

  #table(table: TableParser, row: Record<string, unknown>): void {
    const { rules, values } = table;
    let members = 1;
    for (let i = 0; i < rules.length; i++) {
      const rule = rules[i] as ColumnRule;
      const value = row[rule.name];
      if (value === undefined) {
        values[i] = NaN;
        continue;
      }
      members += 1;
      if (typeof value === 'number' && rule.indices === null && value >= rule.min && value <= rule.max) {
        if (rule.integer && !Number.isInteger(value)) this.#fail(rule.name, rule.expected, value);
        values[i] = value;
      } else {
        values[i] = rule.indices?.get(value) ?? this.#fail(rule.name, rule.expected, value);
      }
    }
    this.#require(table, row);
    if (table.latest !== null) this.#checkClock(table, table.latest);
    const extra = Object.keys(row).length > members ? this.#extra(row, table.known) : undefined;
    this.#sink.row(table.name, values, extra, this.#line);
  }

  #require(table: TableParser, row: Record<string, unknown>): void {
    for (const { anyOf, expected } of table.required) {
      const [first] = anyOf;
      if (!anyOf.some((field) => row[field] !== undefined)) this.#fail(first, expected, undefined);
    }
  }

  #checkClock(table: TableParser, latest: Map<number, number>): void {
    const time = table.values[table.timeIndex] as number;
    const flow = table.values[table.flowIndex] as number;
    const key = Number.isNaN(flow) ? 0 : flow;
    const before = latest.get(key);
    if (before !== undefined && time < before) {
      const field = table.rules[table.timeIndex]?.name ?? 'time_us';
      this.#fail(field, `a time not before ${before} (the previous ${table.name} row's)`, time);
    }
    latest.set(key, time);
  }

  #event(row: Record<string, unknown>): void {
    const result = v.safeParse(eventSchema, row);
    if (!result.success) {
      const issue = result.issues[0];
      const field = issue.path?.[0].key === 'name' ? 'name' : 'time_us';
      const expected = field === 'name' ? 'the name of the event, a text' : 'a finite number of microseconds';
      this.#fail(field, expected, row[field]);
    }
    const { time_us, name } = result.output;
    this.#sink.event({ time_us, name, detail: row['detail'] }, this.#extra(row, EVENT_FIELDS), this.#line);
  }

  /**
   * The members that the format does not define, as text. Throws TraceError if the row is nested too deeply to be
   * formatted.
   */
  #extra(row: Record<string, unknown>, known: ReadonlySet<string>): string {
    if (isNestedTooDeeply(row)) this.#failText('line', nestingExpectation, 'more');
    return extraMembers(row, known);
  }

  #failJson(text: string, complete: boolean): never {
    const bad = /"([^"\\]+)"\s*:\s*([-+]?(?:nan|inf(?:inity)?|undefined|none))\b/i.exec(text);
    if (bad !== null) this.#failText(bad[1] ?? 'line', 'a finite number', bad[2] ?? '');
    if (complete && text.trimEnd().endsWith('}')) this.#failText('line', 'one JSON object', shown(text));
    const field = [...text.matchAll(/"([^"\\]+)"\s*:/g)].at(-1)?.[1] ?? 'line';
    const end = complete ? 'the end of the line' : 'the end of the file';
    this.#failText(field, 'a complete row', `${end} in the middle of it`);
  }

  #fail(field: string, expected: string, got: unknown): never {
    this.#failText(field, expected, shown(got));
  }

  #failText(field: string, expected: string, got: string): never {
    const file = this.#file === undefined ? {} : { file: this.#file };
    throw new TraceError({ ...file, line: this.#line, field, expected, got });
  }
}

const EVENT_FIELDS: ReadonlySet<string> = new Set(['type', 'time_us', 'name', 'detail']);

function extraMembers(row: Record<string, unknown>, known: ReadonlySet<string>): string {
  const rest = Object.fromEntries(Object.entries(row).filter(([key]) => !known.has(key)));
  const members = JSON.stringify(rest).slice(1, -1);
  return members === '' ? '' : `,${members}`;
}
