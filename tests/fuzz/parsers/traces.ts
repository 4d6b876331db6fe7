/**
 * Traces: a trace that was read can be written and read again. An error names a single line; the lines before that
 * line have been read.
 */
import { collector, formatTrace, TraceError, TraceReader, type TraceSink } from '../../../src/trace/index.js';
import { check, refused, same } from '../oracles.js';
import type { FuzzTarget } from '../target.js';

const SEED = [
  '{"ccscope_trace":1,"created":"2026-01-31T12:00:00Z","source":"call","preset":"gcc-live","parameters":{"k_u":0.01},"lab":{"room":7}}',
  '{"type":"arrival","flow":0,"seq":1,"send_time_us":0,"arrival_time_us":9,"size_bytes":3,"rtp_timestamp":90,"key_frame":1,"rtt_us":50}',
  '{"type":"inbound","flow":0,"time_us":10,"packets_received":5,"packets_lost":-1,"bytes_received":6000}',
  '{"type":"group","flow":0,"time_us":9,"m_ms":-0.25,"signal":"overuse","colour":"red"}',
  '{"type":"rate","flow":1,"time_us":11,"target_bps":300000}',
  '{"type":"temperature","time_us":5,"celsius":[1.50,2]}',
  '{"type":"event","time_us":9,"name":"parameter","detail":{"name":"k_u","value":0.02},"by":"user"}',
  '{"type":"arrival","flow":0,"abs_send_time":77,"arrival_time_us":12,"size_bytes":1200}',
  '',
];

/** What was read, in a form that can be compared: a string for each row. */
interface Read {
  rows: string[];
  error: TraceError | undefined;
}

/** A sink that keeps only a string for each row, which is much faster than storing the rows in tables. */
function listing(): { sink: TraceSink; rows: string[] } {
  const rows: string[] = [];
  const sink: TraceSink = {
    header: (header) => rows.push(JSON.stringify(header)),
    row: (table, values, extra = '') => rows.push(`${table} ${values.join(' ')}${extra}`),
    event: (event, extra) => rows.push(JSON.stringify(event) + extra),
    unknown: (text) => rows.push(text),
  };
  return { sink, rows };
}

function feed(sink: TraceSink, bytes: Uint8Array, chunkBytes: number): void {
  const reader = new TraceReader(sink, 'trace');
  for (let at = 0; at < bytes.length; at += chunkBytes) reader.push(bytes.subarray(at, at + chunkBytes));
  reader.end();
}

function read(bytes: Uint8Array, chunkBytes = bytes.length + 1): Read {
  const { sink, rows } = listing();
  let error: TraceError | undefined;
  refused(() => {
    try {
      feed(sink, bytes, chunkBytes);
    } catch (thrown) {
      if (thrown instanceof TraceError) error = thrown;
      throw thrown;
    }
  }, TraceError);
  return { rows, error };
}

/** Reads a trace into memory, and writes it again. */
function written(bytes: Uint8Array): Uint8Array {
  const { sink, trace, header } = collector();
  feed(sink, bytes, bytes.length + 1);
  return new TextEncoder().encode([...formatTrace(trace, header())].join(''));
}

/** The index of the byte at which the line with this number (from 1) starts. */
function startOf(bytes: Uint8Array, line: number): number {
  let at = 0;
  for (let i = 1; i < line; i++) at = bytes.indexOf(10, at) + 1;
  return at;
}

export default {
  name: 'traces',
  seeds: [SEED.join('\n'), SEED.slice(0, 3).join('\r\n'), `${SEED[0] ?? ''}\n`],
  words: [
    ...[
      '"type":"arrival"',
      '"type":"event"',
      '"flow":',
      '"seq":',
      '"time_us":',
      '"detail":',
      '"signal":"normal"',
    ],
    ...['[[[[', '{"a":', ']', '}', 'null', 'true', '\n{"type":"rate","time_us":1}\n', '"'],
  ],
  run(input) {
    const whole = read(input);
    const pieces = read(input, 37);
    check(whole.error?.message === pieces.error?.message, () => 'another error when it comes in pieces');
    check(same(whole.rows, pieces.rows), () => 'other rows when it comes in pieces');
    if (whole.error === undefined) {
      const text = written(input);
      const again = read(text);
      check(again.error === undefined, () => `written, it is refused: ${again.error?.message}`);
      check(same(written(text), text), () => 'written twice, it is another trace');
      check(again.rows.length === whole.rows.length, () => 'written, it has other rows');
      return;
    }
    const { line, expected } = whole.error;
    check(Number.isInteger(line) && line >= 1 && expected !== '', () => 'an error without its place');
    if (line === 1) return;
    const before = read(input.subarray(0, startOf(input, line)));
    check(before.error === undefined, () => `the lines before ${line} are refused, too`);
    check(same(before.rows, whole.rows), () => `the lines before ${line} are other rows without it`);
  },
} satisfies FuzzTarget;
