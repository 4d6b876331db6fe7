/** Detects whether the page around an element is dark. */

const prefersDark = typeof matchMedia === 'undefined' ? null : matchMedia('(prefers-color-scheme: dark)');

/**
 * Reports, now and after each change, whether the page around `host` is dark. The page's `color-scheme` decides or,
 * if there is none, the system's preference. The colour of `probe` is `light-dark(white, black)` with a transition;
 * the end of the transition reveals a change. Returns a function that stops the reports.
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
