/** Dark or light: what the user chose, or what the system prefers. */
import { computed, effect, signal } from '@preact/signals';

import { darkTheme, lightTheme, type ChartTheme } from '../charts/index.js';

const prefersDark = matchMedia('(prefers-color-scheme: dark)');
const systemIsDark = signal(prefersDark.matches);
prefersDark.addEventListener('change', ({ matches }) => (systemIsDark.value = matches));

export type Theme = 'auto' | 'dark' | 'light';

const chosen = signal<Theme>('auto');

export const isDark = computed(() =>
  chosen.value === 'auto' ? systemIsDark.value : chosen.value === 'dark',
);

export const chartTheme = computed<ChartTheme>(() => (isDark.value ? darkTheme : lightTheme));

/** Keeps the page and `charts` in the theme of the page's settings. */
export function followTheme(setting: () => Theme, charts: (theme: ChartTheme) => void): void {
  effect(() => {
    chosen.value = setting();
  });
  effect(() => {
    document.documentElement.dataset['theme'] = isDark.value ? 'dark' : 'light';
    charts(chartTheme.value);
  });
}
