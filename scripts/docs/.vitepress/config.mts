/** The documentation as a site: every document of the repository, and the API reference that TypeDoc wrote. */
import { createHash } from 'node:crypto';
import { cpSync, existsSync, mkdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { slug } from 'github-slugger';
import { defineConfig } from 'vitepress';

import { liveFigures } from '../figures.mjs';
import { repositoryLinks } from '../links.mjs';
import { sidebar } from '../sidebar.mjs';

const root = fileURLToPath(new URL('../../..', import.meta.url));
/** The path at which the site is served: the folder `docs` beside the pages of the app. */
const base = process.env['DOCS_BASE'] ?? '/docs/';
const links = repositoryLinks(root, base);
/** A link to a page of the app is a component, since VitePress would treat a plain link as a page of its own site. */
const appPage = (text: string, file: string) => ({ component: 'AppLink', props: { text, file } });

/**
 * The content security policy of a page. It allows the page's inline scripts (by their hashes) and the site's
 * workers, whose core is WebAssembly, but nothing from other sites.
 */
function contentPolicy(html: string): string {
  const scripts = [...html.matchAll(/<script(?![^>]*\bsrc=)[^>]*>([^]*?)<\/script>/g)];
  const hashes = scripts.map(
    ([, text = '']) => `'sha256-${createHash('sha256').update(text).digest('base64')}'`,
  );
  return [
    "default-src 'none'",
    `script-src 'self' 'wasm-unsafe-eval' ${[...new Set(hashes)].join(' ')}`,
    "worker-src 'self'",
    "style-src 'self' 'unsafe-inline'",
    "img-src 'self' data:",
    "font-src 'self'",
    "connect-src 'self'",
    "base-uri 'none'",
    "form-action 'none'",
  ].join('; ');
}

export default defineConfig({
  title: 'ccscope',
  description: 'An oscilloscope and workbench for WebRTC congestion control',
  base,
  srcDir: root,
  outDir: join(root, 'dist/docs'),
  cacheDir: join(root, 'build/docs/cache'),
  srcExclude: ['**/node_modules/**', 'build/!(docs)/**', 'dist/**', '.changeset/**', 'test-results/**'],
  rewrites: (page) => page.replace(/^build\/docs\/api\//, 'api/').replace(/(^|\/)README\.md$/, '$1index.md'),
  lang: 'en',
  head: [['link', { rel: 'icon', href: 'data:,' }]],
  metaChunk: true,
  markdown: {
    config: (md) => {
      links.plugin(md);
      liveFigures(md, base);
    },
    // Fragments are formed as on GitHub, so that the same links work on GitHub and on this site.
    anchor: { slugify: (text) => slug(text) },
    theme: { light: 'github-light-high-contrast', dark: 'github-dark-high-contrast' },
  },
  transformHtml: (html) =>
    html.replace(
      '<head>',
      `<head><meta http-equiv="Content-Security-Policy" content="${contentPolicy(html)}">`,
    ),
  vue: { template: { compilerOptions: { isCustomElement: (tag) => tag === 'ccscope-view' } } },
  buildEnd: ({ outDir }) => {
    cpSync(join(root, 'dist/lib/embed'), join(outDir, 'view'), { recursive: true });
    for (const file of links.files) {
      const target = join(outDir, 'files', `${file}.txt`);
      mkdirSync(dirname(target), { recursive: true });
      if (existsSync(join(root, file))) cpSync(join(root, file), target);
    }
  },
  themeConfig: {
    nav: [
      { text: 'Guides', link: '/' },
      { text: 'API', link: '/api/' },
      appPage('Call', ''),
      appPage('Lab', 'lab.html'),
      appPage('Lessons', 'lessons.html'),
      appPage('Papers', 'papers.html'),
    ],
    sidebar,
    outline: [2, 3],
    search: {
      provider: 'local',
      // The search splits a name such as `k_u` into two words, which must then both be in the same section.
      options: { miniSearch: { searchOptions: { combineWith: 'AND', fuzzy: false } } },
    },
  },
  // The folder `public` of the repository belongs to the app.
  vite: { configFile: false, publicDir: false, build: { chunkSizeWarningLimit: 2000 } },
});
