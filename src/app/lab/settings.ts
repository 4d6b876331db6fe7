/**
 * The Lab's state as a signal that the address follows. The address's fragment contains a user's own scenario
 * and the pinned run.
 */
import { signal } from '@preact/signals';

import { addressWith, followAddress } from '../address.js';
import { partOf } from '../../runs/fragment.js';
import { parseLab, serialiseLab, type LabState } from './state.js';

const initial = parseLab(location.search);

export const settings = signal<LabState>(initial.state);
/** Parts of the address that were refused when the page was opened. */
export const problems = signal(initial.problems);
/**
 * The part of the address's fragment that contains the user's own scenario. At first it comes from the opened link;
 * afterwards it follows the shown scenario.
 */
export const ownPart = signal(partOf('own', location.hash.slice(1)));
/** The part of the address's fragment that contains the pinned run. */
export const pinPart = signal(partOf('pin', location.hash.slice(1)));

/** Does nothing if the settings already have these values: a new object would render most of the page again. */
export function change(patch: Partial<LabState>): void {
  const before = settings.peek();
  const next = { ...before, ...patch };
  if (Object.entries(next).some(([name, value]) => before[name as keyof LabState] !== value))
    settings.value = next;
}

/** The page's address with these settings. */
export const linkTo = (state: LabState): string =>
  addressWith(serialiseLab(state), [ownPart.value, pinPart.value].filter((part) => part !== '').join('&'));

/**
 * Keeps the address in step with the settings. If the user opens a link to another network of their own, loads the page
 * again: such a link may differ only in its fragment, and then the browser itself does not.
 */
export function followUrl(): void {
  followAddress(() => linkTo(settings.value));
  addEventListener('hashchange', () => {
    const hash = location.hash.slice(1);
    if (partOf('own', hash) !== ownPart.peek() || partOf('pin', hash) !== pinPart.peek()) location.reload();
  });
}
