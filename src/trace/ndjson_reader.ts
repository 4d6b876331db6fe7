import { TraceError } from './errors.js';
import { checkHeader, headerExpectation, type TraceHeader } from './header.js';
import { LineSplitter, MAX_LINE_LENGTH, type LineSink } from './lines.js';
import { RowParser, type RowSink } from './row_parser.js';
import { TraceData } from './trace_data.js';

/** Receives a trace: first its header, then its rows in order. */
export interface TraceSink extends RowSink {
  header(header: TraceHeader): void;
}

/** Reads a trace from chunks of bytes, in constant memory. All methods may throw TraceError. */
export class TraceReader {
  readonly #splitter: LineSplitter;
  readonly #rows: RowParser;
  readonly #sink: TraceSink;
  readonly #file: string | undefined;
  #header = false;

  /** `file`: the file's name for messages. */
  constructor(sink: TraceSink, file?: string) {
    this.#sink = sink;
    this.#file = file;
    this.#rows = new RowParser(sink, file);
    const lines: LineSink = {
      line: (text, number, complete) => this.#line(text, number, complete),
      tooLong: (number) =>
        this.#fail(number, 'line', `a line of at most ${MAX_LINE_LENGTH} characters`, 'a longer one'),
    };
    this.#splitter = new LineSplitter(lines);
  }

  push(chunk: Uint8Array): void {
    this.#splitter.push(chunk);
  }

  /** Ends the file. Throws TraceError if the file had no header. */
  end(): void {
    this.#splitter.end();
    if (!this.#header) this.#fail(1, 'ccscope_trace', headerExpectation, 'an empty file');
  }

  #line(text: string, number: number, complete: boolean): void {
    if (this.#header) {
      if (text.trim() !== '') this.#rows.parse(text, number, complete);
      return;
    }
    this.#sink.header(this.#parseHeader(text, number));
    this.#header = true;
  }

  #parseHeader(text: string, number: number): TraceHeader {
    let value: unknown;
    try {
      value = JSON.parse(text);
    } catch {
      value = text;
    }
    return checkHeader(value, number, this.#file);
  }

  #fail(line: number, field: string, expected: string, got: string): never {
    const file = this.#file === undefined ? {} : { file: this.#file };
    throw new TraceError({ ...file, line, field, expected, got });
  }
}

/**
 * Reads a whole trace from a stream. After each chunk, awaits `afterChunk` with the number of bytes read so far.
 * `afterChunk` may show progress, or wait until a consumer has caught up. Rejects with TraceError.
 */
export async function readTrace(
  source: AsyncIterable<Uint8Array>,
  sink: TraceSink,
  options: { file?: string | undefined; afterChunk?: (bytes: number) => Promise<void> | void } = {},
): Promise<void> {
  const reader = new TraceReader(sink, options.file);
  let bytes = 0;
  for await (const chunk of source) {
    reader.push(chunk);
    bytes += chunk.byteLength;
    await options.afterChunk?.(bytes);
  }
  reader.end();
}

/** A sink that stores a whole trace in memory. */
export function collector(): { sink: TraceSink; trace: TraceData; header: () => TraceHeader } {
  const trace = new TraceData();
  let header: TraceHeader = { ccscope_trace: 1 };
  const sink: TraceSink = {
    header: (value) => (header = value),
    row: (table, values, extra) => trace.appendRow(table, values, extra),
    event: (event, extra) => trace.appendEvent(event, extra),
    unknown: (text) => trace.appendUnknown(text),
  };
  return { sink, trace, header: () => header };
}
