/**
 * The state of the lessons page. The address contains all of it, so a link can open a lesson at its question, or at
 * the result of a choice.
 */
import * as v from 'valibot';

import { flag, oneOf, type StateProblem } from '../url_fields.js';
import { LESSONS, TEACHERS } from './lessons.js';

const entries = {
  lesson: oneOf(['', TEACHERS, ...LESSONS.map(({ id }) => id)]),
  choice: v.pipe(v.string(), v.regex(/^[\w.-]{0,64}$/, 'a choice of the lesson')),
  shown: flag,
  theme: oneOf(['auto', 'dark', 'light']),
};

export interface LessonsState {
  /** Id of a lesson, or the teachers' page. If empty, the list of lessons is shown. */
  lesson: string;
  /**
   * The choice to run when the figure opens: the name of a value on the lesson's axis. If empty, the first value is
   * run.
   */
  choice: string;
  /** Whether the figure is open from the beginning, without the question, as in a link to a shared result. */
  shown: boolean;
  theme: 'auto' | 'dark' | 'light';
}

export const DEFAULT_LESSONS: LessonsState = { lesson: '', choice: '', shown: false, theme: 'auto' };

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
  for (const field of ['lesson', 'choice', 'shown', 'theme'] as const)
    if (state[field] !== DEFAULT_LESSONS[field])
      query.set(field, state[field] === true ? '1' : String(state[field]));
  return query.toString();
}
