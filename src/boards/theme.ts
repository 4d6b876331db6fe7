/** Dark or light: the user's choice, or the system's preference. */
import { computed, signal } from '@preact/signals';

import { darkTheme, lightTheme, type ChartTheme } from '../charts/index.js';

/**
 * Null in a worker, which draws nothing. The script of the overlay (src/overlay) contains this module and also runs
 * as its own worker.
 */
const prefersDark = typeof matchMedia === 'undefined' ? null : matchMedia('(prefers-color-scheme: dark)');
export const systemIsDark = signal(prefersDark?.matches ?? false);
prefersDark?.addEventListener('change', ({ matches }) => (systemIsDark.value = matches));

export type Theme = 'auto' | 'dark' | 'light';

export const chosenTheme = signal<Theme>('auto');

export const isDark = computed(() =>
  chosenTheme.value === 'auto' ? systemIsDark.value : chosenTheme.value === 'dark',
);

export const chartTheme = computed<ChartTheme>(() => (isDark.value ? darkTheme : lightTheme));
