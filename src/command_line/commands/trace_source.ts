/** Opens the trace that a command reads: a file, or standard input. */
import { createReadStream, realpathSync, statSync, type Stats } from 'node:fs';
import type { Readable } from 'node:stream';

import { systemCode, UsageError } from '../../text/errors.js';
import type { Io } from '../io.js';

export interface Source {
  name: string;
  stream: Readable;
  /** The length of the trace; null if unknown. */
  bytes: number | null;
}

/**
 * Opens a trace. `written` contains the output files of the command, by flag. Throws UsageError if the trace does
 * not exist or is a directory, or if an output file is the trace itself.
 */
export function openTrace(
  trace: string,
  written: Readonly<Record<string, string | undefined>>,
  io: Io,
): Source {
  if (trace === '-') return { name: '<stdin>', stream: io.stdin, bytes: null };
  const file = statusOf(trace);
  if (file.isDirectory())
    throw new UsageError(`${trace}: expected a file, got a directory; give the path of a trace`);
  for (const [flag, path] of Object.entries(written)) {
    if (path !== undefined && sameFile(path, trace))
      throw new UsageError(`${flag}: ${path} is also the trace to be read; choose another file`);
  }
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

function sameFile(a: string, b: string): boolean {
  try {
    return realpathSync(a) === realpathSync(b);
  } catch {
    return false;
  }
}
