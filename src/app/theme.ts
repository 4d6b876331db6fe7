/** Dark or light: what the user chose, or what the system prefers. */
import { computed, effect, signal } from '@preact/signals';

import { darkTheme, lightTheme, type ChartTheme } from '../charts/index.js';
import { settings } from './settings.js';

const prefersDark = matchMedia('(prefers-color-scheme: dark)');
const systemIsDark = signal(prefersDark.matches);
prefersDark.addEventListener('change', ({ matches }) => (systemIsDark.value = matches));

export const isDark = computed(() => {
  const { theme } = settings.value;
  return theme === 'auto' ? systemIsDark.value : theme === 'dark';
});

export const chartTheme = computed<ChartTheme>(() => (isDark.value ? darkTheme : lightTheme));

/** Keeps the page and `charts` in the theme. */
export function followTheme(charts: (theme: ChartTheme) => void): void {
  effect(() => {
    document.documentElement.dataset['theme'] = isDark.value ? 'dark' : 'light';
    charts(chartTheme.value);
  });
}
