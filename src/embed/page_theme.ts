/** Detects whether a page is dark where an element is. */

const prefersDark = typeof matchMedia === 'undefined' ? null : matchMedia('(prefers-color-scheme: dark)');

/**
 * Reports, now and after each change, whether the page is dark around the host of a probe: according to the
 * page's `color-scheme` there or, without one, to the system's preference. The probe's colour is
 * `light-dark(white, black)` with a transition, whose end reveals a change. Returns a function that ends the
 * reports.
 */
export function followPage(
  host: HTMLElement,
  probe: HTMLElement,
  tell: (isDark: boolean) => void,
): () => void {
  const look = (): void => {
    const isSaid = getComputedStyle(host).colorScheme !== 'normal';
    tell(isSaid ? getComputedStyle(probe).color === 'rgb(0, 0, 0)' : (prefersDark?.matches ?? false));
  };
  probe.addEventListener('transitionend', look);
  prefersDark?.addEventListener('change', look);
  look();
  return () => {
    probe.removeEventListener('transitionend', look);
    prefersDark?.removeEventListener('change', look);
  };
}
