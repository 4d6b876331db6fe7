import { SCHEMA } from '../../../src/core/index.js';
import {
  formatTrace,
  TraceReader,
  collector,
  TraceData,
  type TraceHeader,
} from '../../../src/trace/index.js';

/** A seeded generator of uniform numbers in [0, 1) (mulberry32). */
export function seeded(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 4294967296;
  };
}

export const HEADER: TraceHeader = {
  ccscope_trace: 1,
  created: '2026-01-31T12:00:00.000Z',
  source: 'call',
  clock: 'receiver',
};

export const HEADER_LINE = JSON.stringify(HEADER);

export function text(trace: TraceData, header: TraceHeader = HEADER): string {
  return [...formatTrace(trace, header)].join('');
}

/** Reads the text of a trace in chunks of `chunkBytes`. */
export function read(
  content: string,
  chunkBytes = 65536,
  file?: string,
): { trace: TraceData; header: TraceHeader } {
  const { sink, trace, header } = collector();
  const reader = new TraceReader(sink, file);
  const bytes = new TextEncoder().encode(content);
  for (let at = 0; at < bytes.length; at += chunkBytes) reader.push(bytes.subarray(at, at + chunkBytes));
  reader.end();
  return { trace, header: header() };
}

/** A trace with rows of every table, events and absent values, in a random order. */
export function randomTrace(seed: number, rows: number): TraceData {
  const random = seeded(seed);
  const trace = new TraceData();
  let now = Math.floor(random() * 1e9);
  for (let i = 0; i < rows; i++) {
    now += Math.floor(random() * 40000);
    const spec = SCHEMA.tables[Math.floor(random() * (SCHEMA.tables.length + 1))];
    if (spec === undefined) {
      trace.appendEvent({ time_us: now, name: 'parameter', detail: { name: 'alpha', value: random() } });
      continue;
    }
    const values = spec.columns.map(({ name, values: names }) => randomValue(random, name, names, now));
    trace.append({ table: spec.name, rows: 1, columns: values.map((value) => Float64Array.of(value)) });
  }
  return trace;
}

function randomValue(
  random: () => number,
  name: string,
  names: readonly string[] | undefined,
  now: number,
): number {
  if (name === 'time_us' || name === 'arrival_time_us') return now;
  if (names !== undefined) return Math.floor(random() * names.length);
  if (/^(flow|link|key_frame|held|competing)$/.test(name)) return Math.floor(random() * 2);
  if (/^(seq|rtp_timestamp|abs_send_time)$/.test(name)) return Math.floor(random() * 2 ** 24);
  if (/bytes|packets|drops|_us$/.test(name)) return Math.floor(random() * 1e7);
  const kind = random();
  if (kind < 0.1) return NaN;
  if (kind < 0.2) return -0;
  return (random() - 0.5) * 10 ** Math.floor(random() * 40 - 20);
}
