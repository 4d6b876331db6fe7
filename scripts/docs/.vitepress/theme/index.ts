/**
 * The default theme, without fonts to download, with live figures on the pages that contain them, and with links to
 * the app that keep the chosen theme.
 */
import { inBrowser, onContentUpdated, withBase, type Theme } from 'vitepress';
import theme from 'vitepress/theme-without-fonts';

import AppLink from './app_link.vue';
import './style.css';

/**
 * The script of `<ccscope-view>`. The site serves it from a separate folder, as any site that uses the element
 * would.
 */
const FIGURES = '/view/ccscope-view.js';

/** Adds the chosen theme to a link to the app, as the app's own pages do. */
function passTheme({ target }: MouseEvent): void {
  const link = target instanceof Element ? target.closest<HTMLAnchorElement>('a[target="_self"]') : null;
  if (link?.origin !== location.origin) return;
  const chosen = localStorage.getItem('vitepress-theme-appearance') ?? 'auto';
  const url = new URL(link.href);
  if (chosen === 'auto') url.searchParams.delete('theme');
  else url.searchParams.set('theme', chosen);
  link.href = url.href;
}

export default {
  extends: theme,
  enhanceApp({ app }) {
    app.component('AppLink', AppLink);
    if (inBrowser) addEventListener('click', passTheme, { capture: true });
  },
  setup() {
    onContentUpdated(() => {
      if (document.querySelector('ccscope-view') !== null) void import(/* @vite-ignore */ withBase(FIGURES));
    });
  },
} satisfies Theme;
