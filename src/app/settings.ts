/** The page's state as a signal that the URL follows. */
import { effect, signal } from '@preact/signals';

import type { AppState, StateProblem } from './state.js';
import { parseState, serialiseState } from './state.js';

const initial = parseState(location.search);

export const settings = signal<AppState>(initial.state);
/** Parts of the URL that were refused when the page was opened. */
export const problems = signal<readonly StateProblem[]>(initial.problems);

export function change(patch: Partial<AppState>): void {
  settings.value = { ...settings.value, ...patch };
}

/** The page's address with these settings. */
export function linkTo(state: AppState): string {
  const query = serialiseState(state);
  return `${location.origin}${location.pathname}${query && `?${query}`}`;
}

/** Browsers refuse more than about ten changes of the address a second. */
const URL_DELAY_MS = 250;

/** Keeps the address in step with the settings. */
export function followUrl(): void {
  let timer: ReturnType<typeof setTimeout> | undefined;
  effect(() => {
    const link = linkTo(settings.value);
    clearTimeout(timer);
    timer = setTimeout(() => history.replaceState(null, '', link), URL_DELAY_MS);
  });
}
