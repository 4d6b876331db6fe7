/** Keeps the page's address in step with what the page shows. */
import { effect } from '@preact/signals';

/** Browsers refuse more than about ten address changes per second. */
const URL_DELAY_MS = 250;

/**
 * Keeps the page's address equal to the result of `link`. `link` runs again whenever a signal that it read has
 * changed.
 */
export function followAddress(link: () => string): void {
  let timer: ReturnType<typeof setTimeout> | undefined;
  effect(() => {
    const address = link();
    clearTimeout(timer);
    timer = setTimeout(() => history.replaceState(null, '', address), URL_DELAY_MS);
  });
}

/** This page's address with the given query and fragment, each of which may be empty. */
export const addressWith = (query: string, fragment = ''): string =>
  `${location.origin}${location.pathname}${query && `?${query}`}${fragment && `#${fragment}`}`;
