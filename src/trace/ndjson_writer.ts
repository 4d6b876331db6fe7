import type { TraceHeader } from './header.js';
import type { TraceData } from './trace_data.js';

const CHUNK_LENGTH = 64 * 1024;

/** Formats the first line. The version is always its first field. */
export function formatHeader(header: TraceHeader): string {
  const { ccscope_trace, ...rest } = header;
  return JSON.stringify({ ccscope_trace, ...rest });
}

/**
 * A trace as NDJSON, in chunks of about 64 kB. The header is followed by all rows, events and rows of unknown
 * types, in the order in which they were appended.
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
