/** Where a trace is wrong, and what was expected there. */
export interface TraceProblem {
  /** The file as the user named it; absent for a Blob or a stream without a name. */
  file?: string;
  /** 1-based line number. */
  line: number;
  /** The field, or `line` when the line as a whole is wrong. */
  field: string;
  /** What a correct file has there. */
  expected: string;
  /** What was found instead, as short text. */
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
    const { file, line, field, expected, got } = problem;
    super(`${file ?? 'trace'}:${line}: ${field}: expected ${expected}, got ${got}`);
    this.file = file;
    this.line = line;
    this.field = field;
    this.expected = expected;
    this.got = got;
  }

  /** The same facts as plain data, for crossing a worker boundary. */
  problem(): TraceProblem {
    const { file, line, field, expected, got } = this;
    return { ...(file === undefined ? {} : { file }), line, field, expected, got };
  }
}

/** A value as it is shown in messages: JSON, at most 60 characters. */
export function shown(value: unknown): string {
  const text =
    value === undefined ? 'nothing' : typeof value === 'number' ? String(value) : JSON.stringify(value);
  return text.length > 60 ? `${text.slice(0, 57)}…` : text;
}
