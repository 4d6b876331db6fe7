import * as v from 'valibot';

import { shown, TraceError } from './errors.js';
import { isNestedTooDeeply, nestingExpectation } from '../text/nesting.js';

/** The only version of the format that this code reads and writes. */
export const TRACE_VERSION = 1;

const parameterValue = v.union([v.pipe(v.number(), v.finite()), v.string()], 'a number');

const headerSchema = v.looseObject({
  ccscope_trace: v.literal(TRACE_VERSION, `${TRACE_VERSION} (the version of the trace format)`),
  created: v.optional(v.string('a date in ISO 8601')),
  source: v.optional(v.string('a text such as "call"')),
  clock: v.optional(v.string('a text such as "receiver"')),
  controller: v.optional(v.string('the name of a controller')),
  preset: v.optional(v.string('the name of a preset')),
  parameters: v.optional(v.record(v.string(), parameterValue, 'an object of parameter values')),
  origin_epoch_ms: v.optional(v.pipe(v.number('a number'), v.finite('a finite number'))),
});

/**
 * The first line of a trace. Fields that are not in the schema are allowed, and are kept when a trace is
 * rewritten.
 */
export type TraceHeader = v.InferOutput<typeof headerSchema>;

/** An example of a first line, for messages. */
export const HEADER_EXAMPLE =
  '{"ccscope_trace":1,"created":"2026-01-31T12:00:00Z","source":"call","clock":"receiver"}';

/** Checks a parsed first line. Throws a TraceError that names the field. */
export function checkHeader(value: unknown, line: number, file: string | undefined): TraceHeader {
  const place = { ...(file === undefined ? {} : { file }), line };
  const isHeader = typeof value === 'object' && value !== null && 'ccscope_trace' in value;
  if (!isHeader) {
    throw new TraceError({
      ...place,
      field: 'ccscope_trace',
      expected: headerExpectation,
      got: shown(value),
    });
  }
  if (isNestedTooDeeply(value))
    throw new TraceError({ ...place, field: 'line', expected: nestingExpectation, got: 'more' });
  const result = v.safeParse(headerSchema, value);
  if (result.success) return result.output;
  const issue = result.issues[0];
  const field = issue.path?.map((item) => String(item.key)).join('.') ?? 'ccscope_trace';
  throw new TraceError({ ...place, field, expected: issue.message, got: shown(issue.input) });
}

/** The expected value in the error for a file that does not start with a header. */
export const headerExpectation = `a first line like ${HEADER_EXAMPLE}`;
