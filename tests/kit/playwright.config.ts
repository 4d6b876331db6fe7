import { defineConfig } from '@playwright/test';

import browserConfig from '../playwright.config.js';

export default defineConfig({
  testDir: '.',
  outputDir: '../../test-results/kit',
  timeout: 60_000,
  // Calls are real and share the machine: one at a time, or their timing means nothing.
  workers: 1,
  fullyParallel: false,
  forbidOnly: process.env['CI'] !== undefined,
  reporter: process.env['CI'] === undefined ? 'list' : 'line',
  use: browserConfig.use ?? {},
});
