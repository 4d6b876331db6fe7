/** Opens the trace that a command reads: a file, or standard input. */
import { createReadStream, statSync, type Stats } from 'node:fs';
import type { Readable } from 'node:stream';

import { systemCode, UsageError } from '../../text/errors.js';
import type { InputFile, Io } from '../io.js';

export interface Source {
  name: string;
  stream: Readable;
  /** The length of the trace; null if unknown. */
  bytes: number | null;
}

/** The file of a trace; none for standard input. */
export const traceFile = (trace: string): InputFile[] =>
  trace === '-' ? [] : [{ what: 'trace', path: trace }];

/** Opens a trace. Throws UsageError if the trace does not exist or is a directory. */
export function openTrace(trace: string, io: Io): Source {
  if (trace === '-') return { name: '<stdin>', stream: io.stdin, bytes: null };
  const file = statusOf(trace);
  if (file.isDirectory())
    throw new UsageError(`${trace}: expected a file, got a directory; give the path of a trace`);
  return { name: trace, stream: createReadStream(trace), bytes: file.size };
}

function statusOf(trace: string): Stats {
  try {
    return statSync(trace);
  } catch (error) {
    const reason = systemCode(error) === 'ENOENT' ? 'no such file' : (systemCode(error) ?? 'not readable');
    throw new UsageError(`${trace}: ${reason}; give the path of a trace, or - for standard input`);
  }
}
