import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { defineConfig } from '@playwright/test';

const root = fileURLToPath(new URL('..', import.meta.url));
const HARNESS_PORT = 41731;

/** The Chromium to test with: the one that is asked for, else the system's, else Playwright's own. */
const executablePath = [
  process.env['CCSCOPE_CHROMIUM'],
  '/usr/bin/chromium',
  '/usr/bin/chromium-browser',
  '/usr/bin/google-chrome',
].find((path) => path !== undefined && existsSync(path));

export default defineConfig({
  testDir: '.',
  outputDir: '../test-results',
  timeout: 60_000,
  // Calls are real and share the machine: one at a time, or their timing means nothing.
  workers: 1,
  fullyParallel: false,
  forbidOnly: process.env['CI'] !== undefined,
  reporter: process.env['CI'] === undefined ? 'list' : 'line',
  projects: [
    { name: 'browser', testDir: './browser', use: { baseURL: `http://127.0.0.1:${HARNESS_PORT}` } },
    { name: 'e2e', testDir: './e2e' },
  ],
  use: {
    launchOptions: {
      ...(executablePath === undefined ? {} : { executablePath }),
      ignoreDefaultArgs: ['--headless', '--headless=old', '--mute-audio'],
      args: [
        '--headless=new',
        '--no-sandbox',
        '--disable-gpu',
        '--disable-quic',
        '--no-first-run',
        '--disable-background-networking',
        '--disable-component-update',
        '--disable-sync',
        '--use-fake-ui-for-media-stream',
        '--use-fake-device-for-media-stream',
        '--autoplay-policy=no-user-gesture-required',
        '--disable-background-timer-throttling',
        '--disable-renderer-backgrounding',
        '--disable-backgrounding-occluded-windows',
      ],
    },
  },
  webServer: {
    name: 'harness',
    cwd: root,
    command:
      'npx vite build -c tests/browser/vite.config.ts && npx vite preview -c tests/browser/vite.config.ts',
    url: `http://127.0.0.1:${HARNESS_PORT}`,
    reuseExistingServer: false,
  },
});
