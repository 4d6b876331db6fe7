/** The state of the lessons page, as a signal that the page's address follows. */
import { signal } from '@preact/signals';

import { addressWith, followAddress } from '../address.js';
import type { StateProblem } from '../url_fields.js';
import { parseLessons, serialiseLessons, type LessonsState } from './state.js';

const initial = parseLessons(location.search);

export const settings = signal<LessonsState>(initial.state);
/** Parts of the address that were refused when the page was opened. */
export const problems = signal(initial.problems);

/** Reports a wrong part of the address that could only be checked after the lesson was loaded. */
export function refuse(problem: StateProblem): void {
  problems.value = [...problems.peek(), problem];
}

export function change(patch: Partial<LessonsState>): void {
  settings.value = { ...settings.value, ...patch };
}

/** The page's address with these settings. */
export const linkTo = (state: LessonsState): string => addressWith(serialiseLessons(state));

/** Keeps the address and the settings in step, also when the user goes back or forward. */
export function followUrl(): void {
  followAddress(() => linkTo(settings.value));
  addEventListener('popstate', () => (settings.value = parseLessons(location.search).state));
}
