import { defineConfig } from '@playwright/test';

import browserConfig from '../playwright.config.js';

export default defineConfig({
  testDir: '.',
  outputDir: '../../test-results/extension',
  timeout: 60_000,
  // Only two workers: each test has its own browser, with a call in it.
  workers: 2,
  fullyParallel: true,
  globalSetup: './build.ts',
  forbidOnly: process.env['CI'] !== undefined,
  reporter: process.env['CI'] === undefined ? 'list' : 'line',
  use: browserConfig.use ?? {},
});
