/** The Lab's state as a signal that the address follows; a scenario of one's own is its fragment. */
import { signal } from '@preact/signals';

import { addressWith, followAddress } from '../address.js';
import { parseLab, serialiseLab, type LabState } from './state.js';

const initial = parseLab(location.search);

export const settings = signal<LabState>(initial.state);
/** Parts of the address that were refused when the page was opened. */
export const problems = signal(initial.problems);
/** The fragment with which the page was opened, and then that of the scenario shown. */
export const fragment = signal(location.hash.slice(1));

export function change(patch: Partial<LabState>): void {
  settings.value = { ...settings.value, ...patch };
}

/** The page's address with these settings. */
export const linkTo = (state: LabState): string => addressWith(serialiseLab(state), fragment.value);

/** Keeps the address in step with the settings. */
export const followUrl = (): void => followAddress(() => linkTo(settings.value));
