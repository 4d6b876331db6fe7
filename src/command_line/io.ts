import { once } from 'node:events';
import {
  accessSync,
  closeSync,
  constants,
  createWriteStream,
  openSync,
  statSync,
  writeFileSync,
  type BigIntStats,
} from 'node:fs';
import { basename, dirname, resolve, sep } from 'node:path';
import type { Readable, Writable } from 'node:stream';

import { FailedRun, systemCode, UsageError } from '../text/errors.js';

/** The streams that a command reads and writes. Tests replace the process's streams with their own. */
export interface Io {
  stdin: Readable;
  stdout: Writable & { isTTY?: boolean; columns?: number };
  stderr: Writable & { isTTY?: boolean };
}

const REDIRECTED_COLUMNS = 100;

/** The width of a line of standard output: the terminal's width, or 100 characters for a file or a pipe. */
export const columnsOf = ({ stdout }: Io): number =>
  (stdout.isTTY === true ? stdout.columns : undefined) ?? REDIRECTED_COLUMNS;

/** Where a command writes its rows: a stream or a file. */
export interface Output {
  write(text: string): void;
  /** Resolves to true once the stream accepts more data, or to false if the reader has closed the pipe. */
  ready(): Promise<boolean>;
  /** Resolves once everything has been written. Rejects if a write fails. */
  end(): Promise<void>;
}

/** Writes to a stream that stays open, such as standard output. It is not an error if the reader closes the pipe. */
export function streamOutput(stream: Writable): Output {
  let gone = false;
  let failure: Error | null = null;
  // Shared by all callers that wait, so that the stream has listeners for only one of them.
  let draining: Promise<void> | null = null;
  const failed = (error: Error): void => {
    if (systemCode(error) === 'EPIPE') gone = true;
    else failure = error;
  };
  stream.on('error', failed);
  const ready = async (): Promise<boolean> => {
    if (!gone && failure === null && stream.writableNeedDrain) {
      draining ??= drained(stream).finally(() => (draining = null));
      await draining;
    }
    if (failure !== null) throw failure;
    return !gone;
  };
  return {
    write: (text) => {
      if (!gone && failure === null && text !== '') stream.write(text);
    },
    ready,
    end: async () => {
      await ready();
      if (gone) return;
      await new Promise<void>((resolve) => stream.write('', () => resolve()));
      // If a write fails, its callback and those of later writes come before the stream's 'error' event.
      await new Promise(setImmediate);
      if (failure !== null) throw failure;
    },
  };
}

/** Resolves when the stream accepts more data, or when it has closed or failed. */
function drained(stream: Writable): Promise<void> {
  const events = ['drain', 'close', 'error'];
  return new Promise((resolve) => {
    const done = (): void => {
      for (const event of events) stream.off(event, done);
      resolve();
    };
    for (const event of events) stream.on(event, done);
  });
}

/**
 * Writes to a file, and replaces an existing one. Throws UsageError if the file cannot be created. If a write fails,
 * `ready` and `end` reject with FailedRun, whose cause is the system's error.
 */
export function fileOutput(path: string): Output {
  const stream = createWriteStream(path, { fd: open(path) });
  const output = streamOutput(stream);
  const fail = (error: unknown): never => {
    throw new FailedRun(unwritable(path, error), { cause: error });
  };
  const ready = (): Promise<boolean> => output.ready().catch(fail);
  const end = async (): Promise<void> => {
    await ready();
    stream.end();
    if (!stream.closed) await once(stream, 'close').catch(fail);
  };
  return { ...output, ready, end };
}

const unwritable = (path: string, error: unknown): string =>
  `${path}: cannot be written (${systemCode(error) ?? 'unknown error'})`;

function open(path: string): number {
  try {
    return openSync(path, 'w');
  } catch (error) {
    throw new UsageError(unwritable(path, error));
  }
}

/** Writes a result as JSON, as `writeText` does. */
export const writeJson = (path: string, value: unknown, io: Io): Promise<void> =>
  writeText(path, `${JSON.stringify(value, null, 2)}\n`, io);

/** Writes a text to a file, or to standard output for `-`. Throws UsageError if the file cannot be created. */
export async function writeText(path: string, text: string, io: Io): Promise<void> {
  if (path === '-') {
    const output = streamOutput(io.stdout);
    output.write(text);
    await output.end();
    return;
  }
  const file = createFile(path);
  try {
    file.write(text);
  } finally {
    file.close();
  }
}

/** A file that is written at once, in parts. */
export interface NewFile {
  /** Throws FailedRun if the text cannot be written as a whole, for example on a full disk. */
  write(text: string): void;
  close(): void;
}

/** Creates a file, and replaces an existing one. Throws UsageError if the file cannot be created. */
export function createFile(path: string): NewFile {
  const file = open(path);
  const write = (text: string): void => {
    try {
      writeFileSync(file, text);
    } catch (error) {
      throw new FailedRun(unwritable(path, error));
    }
  };
  return { write, close: () => closeSync(file) };
}

/**
 * Makes several outputs, one after the other. An output that fails does not prevent the others: its error is thrown
 * after the last of them (the first error, if several fail).
 */
export async function inTurn(outputs: readonly (() => Promise<void> | void)[]): Promise<void> {
  const failures: unknown[] = [];
  for (const output of outputs) {
    try {
      await output();
    } catch (error) {
      failures.push(error);
    }
  }
  if (failures.length > 0) throw failures[0];
}

/** A file that a command reads. */
export interface InputFile {
  /** What the file contains, as messages name it: `trace`. */
  what: string;
  path: string;
}

/**
 * Checks the files that a command writes, by option. Throws UsageError if one of them can neither be created nor
 * replaced, or if it is also written by another option or read by the command. Checked early, so that hours of work
 * are not lost. Does not change the files.
 */
export function checkOutputs(
  written: Readonly<Record<string, string | readonly string[] | undefined>>,
  read: readonly InputFile[] = [],
): void {
  const outputs = Object.entries(written)
    .flatMap(([flag, paths = []]) => [paths].flat().map((path) => ({ flag, path })))
    .filter(({ path }) => path !== '-');
  for (const { path } of outputs) checkFolder(path);
  const uses = new Map<string, string>();
  for (const { what, path } of read)
    if (statusOf(path) !== null) uses.set(identityOf(path), `the ${what} to be read`);
  for (const { flag, path } of outputs.filter((output) => !isCharacterDevice(output.path))) {
    const identity = identityOf(path);
    const use = uses.get(identity);
    if (use !== undefined) throw new UsageError(`${flag}: ${path} is also ${use}; choose another file`);
    uses.set(identity, `written by ${flag}`);
  }
}

/** Whether a path is, for example, a terminal or /dev/null, to which several outputs can be written. */
const isCharacterDevice = (path: string): boolean => statusOf(path)?.isCharacterDevice() === true;

/**
 * The same text for all paths of one file, including links to it. The file exists, or at least its folder does.
 */
function identityOf(path: string): string {
  const there = statusOf(path);
  if (there !== null) return `${there.dev}:${there.ino}`;
  return `${identityOf(dirname(resolve(path)))}/${basename(path)}`;
}

/** Throws UsageError if a file can neither be created nor replaced. Does not change the file. */
function checkFolder(file: string): void {
  if (file === '')
    throw new UsageError(
      'expected the path of a file to write, got an empty text; give one, or remove the option',
    );
  const there = statusOf(file);
  if (there?.isDirectory() ?? (file.endsWith('/') || file.endsWith(sep)))
    throw new UsageError(`${file}: cannot be written (EISDIR); give the path of a file, not of a folder`);
  try {
    // The dot makes the system check that the parent is a folder. A file that exists, such as /dev/null, can be written
    // even if its folder cannot.
    accessSync(there === null ? `${dirname(resolve(file))}${sep}.` : file, constants.W_OK);
  } catch (error) {
    const code = systemCode(error) ?? 'unknown error';
    throw new UsageError(
      there === null
        ? `${file}: its folder cannot be written to (${code})`
        : `${file}: cannot be written (${code}); make it writable, or give the path of another file`,
    );
  }
}

/** The status of a file, or null if it does not exist or cannot be reached. */
export function statusOf(file: string): BigIntStats | null {
  try {
    return statSync(file, { bigint: true });
  } catch {
    return null;
  }
}
