import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';

import preact from '@preact/preset-vite';
import { build as bundle } from 'esbuild';
import type { Plugin } from 'vite';
import { defineConfig } from 'vitest/config';

import { smaller, terserOptions } from './scripts/lib/smaller.mjs';
import { WORKER_FILE } from './src/app/offline/messages.js';
import { APP_POLICY } from './src/html/content_policy.js';

const here = (path: string) => fileURLToPath(new URL(path, import.meta.url));
const WIRE_TESTS = ['tests/node/shaper_wire.test.ts'];
const serverPort = process.env['CCSCOPE_PORT'] ?? '8088';

/**
 * Provides `virtual:scenarios`: what the Lab's list shows of each file in public/scenarios, by file
 * name, with the numbers in names in numeric order.
 */
function scenarioList(folder: string): Plugin {
  const id = 'virtual:scenarios';
  return {
    name: 'ccscope-scenarios',
    resolveId: (source) => (source === id ? `\0${id}` : undefined),
    load(module) {
      if (module !== `\0${id}`) return undefined;
      const files = readdirSync(folder).filter((file) => file.endsWith('.json'));
      files.sort((a, b) => a.localeCompare(b, 'en', { numeric: true }));
      const list = files.map((file) => {
        const path = join(folder, file);
        this.addWatchFile(path);
        const scenario = JSON.parse(readFileSync(path, 'utf8')) as Record<string, unknown>;
        const { title = '', description = '', paper = '', source = '' } = scenario;
        return { id: scenario['id'], title, description, paper, source };
      });
      return `export default ${JSON.stringify(list)}`;
    },
  };
}

/**
 * Puts the content policy into the app's pages, for hosts that send none. Not in development, where
 * Vite's server inserts scripts into the pages.
 */
const contentPolicy: Plugin = {
  name: 'ccscope-content-policy',
  apply: 'build',
  transformIndexHtml: () => [
    {
      tag: 'meta',
      attrs: { 'http-equiv': 'Content-Security-Policy', content: APP_POLICY },
      injectTo: 'head-prepend',
    },
  ],
};

/** Files that no page fetches: source maps, the documents' pictures, and input files of the command line. */
const NOT_KEPT = /\.(map|md)$|^[a-z]+\.png$|^(controllers|matrices)\//;

/** The service worker, with the list of the files that it keeps. */
function serviceWorker(outDir: string): Plugin {
  return {
    name: 'ccscope-service-worker',
    apply: 'build',
    async writeBundle() {
      const files = readdirSync(outDir, { recursive: true, withFileTypes: true })
        .filter((entry) => entry.isFile())
        .map(({ parentPath, name }) => relative(outDir, join(parentPath, name)).replaceAll('\\', '/'))
        .filter((file) => file !== WORKER_FILE && !NOT_KEPT.test(file))
        .sort()
        .map((url) => {
          const digest = (): string =>
            createHash('sha256')
              .update(readFileSync(join(outDir, url)))
              .digest('hex');
          // Assets have the hash of their contents in their names.
          return { url, revision: url.startsWith('assets/') ? null : digest().slice(0, 16) };
        });
      await bundle({
        entryPoints: [here('src/app/offline/service_worker.ts')],
        outfile: join(outDir, WORKER_FILE),
        bundle: true,
        minify: true,
        format: 'iife',
        target: 'es2022',
        define: { APP_FILES: JSON.stringify(files), 'process.env.NODE_ENV': '"production"' },
      });
    },
  };
}

/** Makes the scripts of workers as small as terser makes the pages' scripts (`build.minify`). */
const smallerWorkers: Plugin = {
  name: 'ccscope-smaller-workers',
  apply: 'build',
  async generateBundle(_, bundle) {
    for (const file of Object.values(bundle)) if (file.type === 'chunk') file.code = await smaller(file.code);
  },
};

export default defineConfig({
  root: here('src/app'),
  // Relative, so that the page can be served from any folder of a static host.
  base: './',
  publicDir: here('public'),
  plugins: [preact(), scenarioList(here('public/scenarios')), contentPolicy, serviceWorker(here('dist/app'))],
  worker: {
    format: 'es',
    plugins: () => [smallerWorkers],
    rolldownOptions: { output: { minify: true } },
  },
  build: {
    outDir: here('dist/app'),
    emptyOutDir: true,
    target: 'es2022',
    // This makes the page two per cent smaller than the default does.
    minify: 'terser',
    terserOptions: { ...terserOptions, format: { comments: false } },
    sourcemap: true,
    rolldownOptions: {
      input: ['index', 'lab', 'lessons', 'papers'].map((page) => here(`src/app/${page}.html`)),
    },
  },
  server: {
    // The local server, which provides the UDP shaper and the rooms.
    proxy: { '/ws': { target: `ws://127.0.0.1:${serverPort}`, ws: true } },
  },
  test: {
    root: here('.'),
    // On a slow machine, and beside other parts of the test run, what usually takes a second takes many. What a
    // test waits for is judged, not how long it takes.
    testTimeout: 120_000,
    hookTimeout: 120_000,
    expect: { poll: { timeout: 30_000 } },
    projects: [
      {
        extends: true,
        test: {
          name: 'unit',
          include: ['tests/unit/**/*.test.ts', 'tests/node/**/*.test.ts', 'tests/fuzz/*.test.ts'],
          exclude: WIRE_TESTS,
        },
      },
      // The packets of these tests have to be on time, so nothing else runs beside them.
      { extends: true, test: { name: 'wire', include: WIRE_TESTS, sequence: { groupOrder: 1 } } },
    ],
  },
});
