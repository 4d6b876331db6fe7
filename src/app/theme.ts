/**
 * Shows the page in the theme of its address. If the address names no theme, uses the theme that was chosen last in
 * this browser. The page is printed in the light theme.
 */
import { effect, signal } from '@preact/signals';

import type { ChartTheme } from '../charts/index.js';
import { chartTheme, chosenTheme, isDark, type Theme } from '../boards/theme.js';
import { isOnPaper } from './print.js';

/** VitePress stores the theme of the documentation under the same key, so the documentation follows the app. */
const KEY = 'vitepress-theme-appearance';

function kept(): Theme {
  try {
    const theme = localStorage.getItem(KEY);
    return theme === 'dark' || theme === 'light' ? theme : 'auto';
  } catch {
    return 'auto';
  }
}

const remembered = signal<Theme>(kept());

/** Remembers the theme for all pages that are opened later in this browser. */
export function rememberTheme(theme: Theme): void {
  remembered.value = theme;
  try {
    localStorage.setItem(KEY, theme);
  } catch {
    // Without storage, only the links to the other pages pass the theme on.
  }
}

/** Keeps the page in the theme of its settings, and passes each new theme to `charts`. */
export function followTheme(setting: () => Theme, charts: (theme: ChartTheme) => void): void {
  effect(() => {
    const named = setting();
    chosenTheme.value = isOnPaper.value ? 'light' : named === 'auto' ? remembered.value : named;
  });
  effect(() => {
    document.documentElement.dataset['theme'] = isDark.value ? 'dark' : 'light';
    charts(chartTheme.value);
  });
}
