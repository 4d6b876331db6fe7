/** The page's state as a signal. The URL is kept in step with this signal. */
import { signal } from '@preact/signals';

import { addressWith, followAddress } from './address.js';
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
export const linkTo = (state: AppState): string => addressWith(serialiseState(state));

/** Keeps the address in step with the settings. */
export const followUrl = (): void => followAddress(() => linkTo(settings.value));
