/** Keeps the page's address in step with what the page shows. */
import { effect } from '@preact/signals';

/** Browsers refuse more than about ten changes of the address a second. */
const URL_DELAY_MS = 250;

/** `link` gives the address of what is shown now; it is called again whenever a signal that it has read changes. */
export function followAddress(link: () => string): void {
  let timer: ReturnType<typeof setTimeout> | undefined;
  effect(() => {
    const address = link();
    clearTimeout(timer);
    timer = setTimeout(() => history.replaceState(null, '', address), URL_DELAY_MS);
  });
}

/** This page's address with another query and, where it has one, a fragment. */
export const addressWith = (query: string, fragment = ''): string =>
  `${location.origin}${location.pathname}${query && `?${query}`}${fragment && `#${fragment}`}`;
