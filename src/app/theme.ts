/** Shows the page in the theme of its settings, but prints it in the light theme. */
import { effect } from '@preact/signals';

import type { ChartTheme } from '../charts/index.js';
import { chartTheme, chosenTheme, isDark, type Theme } from '../boards/theme.js';
import { isOnPaper } from './print.js';

/** Keeps the page and `charts` in the theme of the page's settings. */
export function followTheme(setting: () => Theme, charts: (theme: ChartTheme) => void): void {
  effect(() => {
    chosenTheme.value = isOnPaper.value ? 'light' : setting();
  });
  effect(() => {
    document.documentElement.dataset['theme'] = isDark.value ? 'dark' : 'light';
    charts(chartTheme.value);
  });
}
