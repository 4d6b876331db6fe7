import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { defineConfig } from '@playwright/test';

import { CHROMIUM_FLAGS } from '../src/command_line/call/chromium.js';

const root = fileURLToPath(new URL('..', import.meta.url));
/**
 * The port of the test page. Two clones with different ports can run their tests on one machine at the same
 * time.
 */
const HARNESS_PORT = Number(process.env['CCSCOPE_HARNESS_PORT'] ?? 41731);

/** The Chromium to test with: the requested one, else the system's, else Playwright's own. */
const executablePath = [
  process.env['CCSCOPE_CHROMIUM'],
  '/usr/bin/chromium',
  '/usr/bin/chromium-browser',
  '/usr/bin/google-chrome',
].find((path) => path !== undefined && existsSync(path));

export default defineConfig({
  testDir: '.',
  outputDir: '../test-results',
  // Screenshots must be equal on all systems, so their names do not contain the system.
  snapshotPathTemplate: '{testDir}/looks/{arg}{ext}',
  // On a slow machine everything takes several times as long. What a test waits for is judged, not how long it takes.
  timeout: 180_000,
  expect: { timeout: 30_000 },
  // Calls are real and wait most of the time, so several calls run at once. Tests that judge rates or delays
  // are tagged @measures; `npm test` runs these apart from the others.
  workers: 3,
  globalSetup: './support/build.ts',
  forbidOnly: process.env['CI'] !== undefined,
  reporter: process.env['CI'] === undefined ? 'list' : 'line',
  projects: [
    {
      name: 'browser',
      testDir: './browser',
      fullyParallel: true,
      use: { baseURL: `http://127.0.0.1:${HARNESS_PORT}` },
    },
    // The tests of a file run in order, because they share what is created at its start.
    { name: 'e2e', testDir: './e2e', fullyParallel: false },
  ],
  use: {
    launchOptions: {
      ...(executablePath === undefined ? {} : { executablePath }),
      ignoreDefaultArgs: ['--headless', '--headless=old', '--mute-audio'],
      args: ['--no-sandbox', ...CHROMIUM_FLAGS],
    },
  },
  webServer: {
    name: 'harness',
    cwd: root,
    command: `npx vite build -c tests/browser/vite.config.ts && npx vite preview -c tests/browser/vite.config.ts --port ${HARNESS_PORT}`,
    url: `http://127.0.0.1:${HARNESS_PORT}`,
    reuseExistingServer: false,
  },
});
