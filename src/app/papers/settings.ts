/** The state of the papers page as a signal that the address follows. */
import { signal } from '@preact/signals';

import { addressWith, followAddress } from '../address.js';
import { registry } from '../lab/registry.js';
import { parsePapers, serialisePapers, type PapersState } from './state.js';

const read = () => parsePapers(location.search, registry);
const initial = read();

export const settings = signal<PapersState>(initial.state);
/** Parts of the address that were refused when the page was opened. */
export const problems = signal(initial.problems);

export function change(patch: Partial<PapersState>): void {
  settings.value = { ...settings.value, ...patch };
}

/** The page's address with these settings. */
export const linkTo = (state: PapersState): string => addressWith(serialisePapers(state));

/** Keeps the address and the settings in step, also when the user goes back or forward. */
export function followUrl(): void {
  followAddress(() => linkTo(settings.value));
  addEventListener('popstate', () => (settings.value = read().state));
}
