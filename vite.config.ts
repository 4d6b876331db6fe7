import { fileURLToPath } from 'node:url';

import preact from '@preact/preset-vite';
import { defineConfig } from 'vitest/config';

const here = (path: string) => fileURLToPath(new URL(path, import.meta.url));
const serverPort = process.env['CCSCOPE_PORT'] ?? '8088';

export default defineConfig({
  root: here('src/app'),
  // Relative, so that the page can be served from any folder of a static host.
  base: './',
  publicDir: here('public'),
  plugins: [preact()],
  worker: { format: 'es' },
  build: {
    outDir: here('dist/app'),
    emptyOutDir: true,
    target: 'es2022',
    sourcemap: true,
  },
  server: {
    // The local server: UDP shaper and rooms.
    proxy: { '/ws': { target: `ws://127.0.0.1:${serverPort}`, ws: true } },
  },
  test: {
    root: here('.'),
    include: ['tests/unit/**/*.test.ts', 'tests/node/**/*.test.ts'],
  },
});
