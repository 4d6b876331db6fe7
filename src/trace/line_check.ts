import * as v from 'valibot';

import { shown, TraceError } from './errors.js';
import { isNestedTooDeeply, nestingExpectation } from '../text/nesting.js';

/**
 * Checks a line whose type this format leaves to others. A file that was cut, edited or damaged may have a line that
 * lacks what is read from it. Throws a TraceError that names the line, its type and the field.
 */
export function checkLine(
  row: { type: string },
  form: v.GenericSchema,
  line: number,
  file: string | undefined,
): void {
  const place = { ...(file === undefined ? {} : { file }), line, field: row.type };
  // Converting a line that is nested too deeply would exhaust the stack.
  if (isNestedTooDeeply(row)) throw new TraceError({ ...place, expected: nestingExpectation, got: 'more' });
  const read = v.safeParse(form, row);
  if (read.success) return;
  const [issue] = read.issues;
  const expected = 'a complete line of this type, as ccscope writes it';
  throw new TraceError({
    ...place,
    expected,
    got: `${v.getDotPath(issue) ?? 'line'}: ${shown(issue.input)}`,
  });
}
