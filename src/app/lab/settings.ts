/** The Lab's state as a signal that the address follows; a scenario of one's own is its fragment. */
import { effect, signal } from '@preact/signals';

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
export function linkTo(state: LabState): string {
  const query = serialiseLab(state);
  const own = fragment.value;
  return `${location.origin}${location.pathname}${query && `?${query}`}${own && `#${own}`}`;
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
