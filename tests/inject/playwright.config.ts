import { defineConfig } from '@playwright/test';

import browserConfig from '../playwright.config.js';

export default defineConfig({
  testDir: '.',
  outputDir: '../../test-results/inject',
  timeout: browserConfig.timeout ?? 0,
  expect: browserConfig.expect ?? {},
  // Each test makes a real call, so only two tests run at once.
  workers: 2,
  fullyParallel: true,
  globalSetup: './build.ts',
  forbidOnly: process.env['CI'] !== undefined,
  reporter: process.env['CI'] === undefined ? 'list' : 'line',
  use: browserConfig.use ?? {},
});
