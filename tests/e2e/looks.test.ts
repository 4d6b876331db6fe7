/**
 * Compares screenshots of pages with stored screenshots that were checked by eye (tests/e2e/looks). The Call page is
 * left out, because it looks different each time. After an intended change, make the screenshots again and check them
 * by eye:
 *
 *   npx playwright test -c tests/playwright.config.ts looks --update-snapshots
 */
import { readFile } from 'node:fs/promises';

import type { Page } from '@playwright/test';

import { expect, test } from './support.js';

/** The screenshots use this font, so that they do not depend on the machine's fonts. */
const FONTS = new URL('../../node_modules/vitepress/dist/client/theme-default/fonts/', import.meta.url);

interface Shown {
  name: string;
  path: string;
  /** Resolves when the page has finished drawing. */
  ready: (page: Page) => Promise<void>;
}

const PAGES: readonly Shown[] = [
  {
    name: 'lab',
    path: 'lab.html?scenario=ton-fig11&run=1',
    ready: async (page) => {
      await expect(page.getByRole('status').first()).toHaveText('Done');
      await expect(page.getByRole('region', { name: 'Results' })).toHaveAttribute('aria-busy', 'false');
    },
  },
  {
    name: 'lessons',
    path: 'lessons.html',
    ready: (page) => page.getByRole('link', { name: 'Why delay grows before packets are lost' }).waitFor(),
  },
  {
    name: 'lesson',
    path: 'lessons.html?lesson=delay-before-loss',
    ready: (page) => page.getByRole('radio', { name: 'Lost packets' }).waitFor(),
  },
  {
    name: 'papers',
    path: 'papers.html',
    ready: (page) => page.getByRole('row', { name: 'ton-fig11' }).waitFor(),
  },
];

async function useFont(page: Page): Promise<void> {
  const file = await readFile(new URL('inter-roman-latin.woff2', FONTS));
  const source = `data:font/woff2;base64,${file.toString('base64')}`;
  await page.addStyleTag({
    content: `@font-face { font-family: Looks; src: url(${source}); font-weight: 100 900; }
      :root { --font-family: Looks, sans-serif !important; }`,
  });
  await page.evaluate(() => document.fonts.load('1em Looks'));
}

test.use({ viewport: { width: 1200, height: 800 }, bypassCSP: true });

for (const theme of ['light', 'dark'] as const)
  for (const { name, path, ready } of PAGES)
    test(`${name}, ${theme}`, async ({ page, served }) => {
      await page.emulateMedia({ colorScheme: theme });
      await page.goto(`${served.staticUrl}${path}`);
      await ready(page);
      await useFont(page);
      await expect(page).toHaveScreenshot(`${name}-${theme}.png`, {
        // Hides how long the simulation took.
        mask: [page.locator('.provenance div').filter({ hasText: 'Simulated' })],
        // Tolerates the edges of letters, which differ between machines. A missing panel, a wrong colour or a
        // shifted page changes far more pixels.
        threshold: 0.25,
        maxDiffPixelRatio: 0.02,
      });
    });
