/**
 * Dark or light. The theme follows the reader's system until the page's button is pressed; then the button decides.
 */
import { darkTheme, lightTheme, type ChartTheme } from '../../charts/theme.js';

const prefersDark = matchMedia('(prefers-color-scheme: dark)');
const root = document.documentElement;

const isDark = (): boolean =>
  root.dataset['theme'] === undefined ? prefersDark.matches : root.dataset['theme'] === 'dark';

/** The current theme of the charts. */
export const chartTheme = (): ChartTheme => (isDark() ? darkTheme : lightTheme);

/** Calls `recolour` at each change of the theme. Shows the page's button, which switches the theme. */
export function onTheme(recolour: (theme: ChartTheme) => void): void {
  prefersDark.addEventListener('change', () => recolour(chartTheme()));
  const button = document.querySelector<HTMLButtonElement>('button.theme');
  if (button === null) return;
  button.hidden = false;
  button.addEventListener('click', () => {
    root.dataset['theme'] = isDark() ? 'light' : 'dark';
    recolour(chartTheme());
  });
}
