import { defineConfig } from '@playwright/test';

import browserConfig from '../playwright.config.js';

export default defineConfig({
  testDir: '.',
  outputDir: '../../test-results/kit',
  timeout: browserConfig.timeout ?? 0,
  expect: browserConfig.expect ?? {},
  // Only two workers: each call has two browser pages and its own link, and some tests judge the rate of the link.
  workers: 2,
  fullyParallel: true,
  globalSetup: '../support/build.ts',
  forbidOnly: process.env['CI'] !== undefined,
  reporter: process.env['CI'] === undefined ? 'list' : 'line',
  use: browserConfig.use ?? {},
});
