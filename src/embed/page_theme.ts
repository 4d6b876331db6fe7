/** Whether a page is dark where an element is. */

const prefersDark = typeof matchMedia === 'undefined' ? null : matchMedia('(prefers-color-scheme: dark)');

/**
 * Tells, now and whenever it changes, whether the page is dark around the host of a probe: by the `color-scheme` that the
 * page says there, and where it says none, by the system's preference. The probe's colour is `light-dark(white, black)`
 * with a transition, whose end is how a page's change is noticed. Returns what ends that.
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
