/** Loads all lessons at once, for pages that need every lesson. Other pages fetch only the lesson that they show. */
import { messageOf, notify } from '../../notices.js';
import type { Lesson } from '../lesson.js';
import { LESSONS } from '../lessons.js';

export async function loadAll(): Promise<readonly Lesson[]> {
  const modules = await Promise.all(LESSONS.map(({ load }) => load()));
  return modules.map((module) => module.default);
}

/** Tells the user that the lessons could not be fetched. */
export function notFetched(error: unknown): void {
  const what = `The lessons could not be fetched: ${messageOf(error)}.`;
  notify('error', 'lesson', what, 'Check the connection, and reload the page.');
}
