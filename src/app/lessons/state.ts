/** The state of the lessons page. All of it is in the address, so a link can open a lesson and run a choice. */
import * as v from 'valibot';

import { oneOf, type StateProblem } from '../url_fields.js';
import { LESSONS, TEACHERS } from './lessons.js';

const entries = {
  lesson: oneOf(['', TEACHERS, ...LESSONS.map(({ id }) => id)]),
  choice: v.pipe(v.string(), v.regex(/^[\w.-]{0,64}$/, 'a choice of the lesson')),
  theme: oneOf(['auto', 'dark', 'light']),
};

export interface LessonsState {
  /** Id of a lesson, or the teachers' page. If empty, the list of lessons is shown. */
  lesson: string;
  /**
   * The choice to run when the page opens: the name of a value on the lesson's axis. If empty, nothing runs.
   */
  choice: string;
  theme: 'auto' | 'dark' | 'light';
}

export const DEFAULT_LESSONS: LessonsState = { lesson: '', choice: '', theme: 'auto' };

/** Reads a URL's query. Never throws. */
export function parseLessons(query: string): { state: LessonsState; problems: StateProblem[] } {
  const problems: StateProblem[] = [];
  const changes: Record<string, unknown> = {};
  for (const [field, got] of new Map(new URLSearchParams(query))) {
    const schema = Object.hasOwn(entries, field) ? entries[field as keyof typeof entries] : null;
    const result = schema === null ? null : v.safeParse(schema, got);
    if (result?.success === true) changes[field] = result.output;
    else problems.push({ field, got, expected: result?.issues[0].message ?? 'a setting of this page' });
  }
  return { state: { ...DEFAULT_LESSONS, ...changes }, problems };
}

/** Returns a URL query with the settings that differ from the defaults. */
export function serialiseLessons(state: LessonsState): string {
  const query = new URLSearchParams();
  for (const field of ['lesson', 'choice', 'theme'] as const)
    if (state[field] !== DEFAULT_LESSONS[field]) query.set(field, state[field]);
  return query.toString();
}
