/**
 * The default theme, without fonts to download, with live figures on the pages that contain them, and with links to
 * the app.
 */
import { onContentUpdated, withBase, type DefaultTheme, type Theme } from 'vitepress';
import theme from 'vitepress/theme-without-fonts';

import AppLink from './app_link.vue';
import './style.css';

/**
 * The script of `<ccscope-view>`. The site serves it from a separate folder, as any site that uses the element
 * would.
 */
const FIGURES = '/view/ccscope-view.js';

/** Words of a question that the search ignores, since the section with the answer may lack them. */
const SMALL_WORDS = new Set([
  'a',
  'an',
  'the',
  'my',
  'your',
  'i',
  'do',
  'how',
  'to',
  'of',
  'in',
  'on',
  'for',
]);

/**
 * The weight of a page in the search. Guides rank above the reference, which contains the same words more often.
 */
function weightOf(page: string): number {
  if (/\/(?:api|tests)\/|\/src\/text\/messages/.test(page)) return 0.1;
  if (/\/src\/text\/errors/.test(page)) return 0.3;
  if (/\/(?:wasm\/sim\/|src\/command_line\/options|ARCHITECTURE|CHANGELOG|CONTRIBUTING)/.test(page))
    return 0.4;
  return 1;
}

export default {
  extends: theme,
  enhanceApp({ app, siteData }) {
    app.component('AppLink', AppLink);
    // These functions cannot be part of the configuration: VitePress would pass them on as text, and the site's
    // content policy forbids turning text into functions.
    const { search } = siteData.value.themeConfig as DefaultTheme.Config;
    if (search?.provider === 'local')
      Object.assign(search.options?.miniSearch?.searchOptions ?? {}, {
        boostDocument: weightOf,
        processTerm: (term: string) => (SMALL_WORDS.has(term.toLowerCase()) ? null : term.toLowerCase()),
      });
  },
  setup() {
    onContentUpdated(() => {
      if (document.querySelector('ccscope-view') !== null) void import(/* @vite-ignore */ withBase(FIGURES));
    });
  },
} satisfies Theme;
