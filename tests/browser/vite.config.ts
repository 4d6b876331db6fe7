import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vite';

/** Builds the page that the browser tests drive, much as a user's bundler would. */
export default defineConfig({
  root: fileURLToPath(new URL('./harness', import.meta.url)),
  publicDir: false,
  worker: { format: 'es' },
  build: {
    outDir: fileURLToPath(new URL('../../dist/harness', import.meta.url)),
    emptyOutDir: true,
    minify: false,
    target: 'es2022',
  },
  preview: { host: '127.0.0.1', strictPort: true },
});
