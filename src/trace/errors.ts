import { isNestedTooDeeply } from '../text/nesting.js';

/** Where the error in a trace is, and what was expected there. */
export interface TraceProblem {
  /** The file's name as given by the user. Absent for a Blob or a stream without a name. */
  file?: string;
  /** 1-based line number. */
  line: number;
  /** The field, or `line` if the line as a whole is invalid. */
  field: string;
  /** What was expected instead of `got`. */
  expected: string;
  /** The file's content at this place, as short text. */
  got: string;
}

/** A trace that cannot be read. The message is `file:line: field: expected …, got …`. */
export class TraceError extends Error {
  override readonly name = 'TraceError';
  readonly file: string | undefined;
  readonly line: number;
  readonly field: string;
  readonly expected: string;
  readonly got: string;

  constructor(problem: TraceProblem) {
    const { file, line, expected, got } = problem;
    const field = cut(problem.field, 100);
    super(`${file ?? 'trace'}:${line}: ${field}: expected ${expected}, got ${got}`);
    this.file = file;
    this.line = line;
    this.field = field;
    this.expected = expected;
    this.got = got;
  }

  /** The error as plain data that can be sent to another thread. */
  problem(): TraceProblem {
    const { file, line, field, expected, got } = this;
    return { ...(file === undefined ? {} : { file }), line, field, expected, got };
  }
}

const cut = (text: string, length: number): string =>
  text.length > length ? `${text.slice(0, length - 3)}…` : text;

/** A value as JSON for messages, cut to at most 60 characters. */
export function shown(value: unknown): string {
  if (value === undefined) return 'nothing';
  if (typeof value === 'number') return String(value);
  if (typeof value === 'string') return cut(JSON.stringify(value.slice(0, 60)), 60);
  if (isNestedTooDeeply(value)) return 'a value that is nested too deeply';
  return cut(JSON.stringify(value), 60);
}
