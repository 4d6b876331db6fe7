/**
 * The default theme, without fonts to download, with live figures on the pages that contain them, and with links to
 * the app.
 */
import { onContentUpdated, withBase, type Theme } from 'vitepress';
import theme from 'vitepress/theme-without-fonts';

import AppLink from './app_link.vue';
import './style.css';

/**
 * The script of `<ccscope-view>`. The site serves it from a separate folder, as any site that uses the element
 * would.
 */
const FIGURES = '/view/ccscope-view.js';

export default {
  extends: theme,
  enhanceApp({ app }) {
    app.component('AppLink', AppLink);
  },
  setup() {
    onContentUpdated(() => {
      if (document.querySelector('ccscope-view') !== null) void import(/* @vite-ignore */ withBase(FIGURES));
    });
  },
} satisfies Theme;
