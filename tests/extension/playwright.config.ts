import { defineConfig } from '@playwright/test';

import browserConfig from '../playwright.config.js';

export default defineConfig({
  testDir: '.',
  outputDir: '../../test-results/extension',
  timeout: browserConfig.timeout ?? 0,
  expect: browserConfig.expect ?? {},
  // Only two workers: each test has its own browser, with a call in it.
  workers: 2,
  fullyParallel: true,
  globalSetup: './build.ts',
  forbidOnly: process.env['CI'] !== undefined,
  reporter: process.env['CI'] === undefined ? 'list' : 'line',
  use: browserConfig.use ?? {},
});
