/**
 * The Playwright configuration of a user's project. Tests run chosen files of this project, in three workers
 * and with one retry.
 */
import { defineConfig } from '@playwright/test';

import browserConfig from '../../playwright.config.js';

const folder = process.env['KIT_OUT'] ?? 'test-results';
const reporter = JSON.parse(process.env['KIT_REPORTER'] ?? '{}') as Record<string, unknown>;

export default defineConfig({
  testDir: '.',
  testMatch: /.*\.nested\.ts/,
  outputDir: `${folder}/results`,
  snapshotPathTemplate: `${folder}/snapshots/{arg}{ext}`,
  timeout: 30_000,
  workers: 3,
  fullyParallel: true,
  retries: 1,
  reporter: [
    ['json', { outputFile: `${folder}/report.json` }],
    ['junit', { outputFile: `${folder}/junit.xml` }],
    ['blob', { outputDir: `${folder}/blob` }],
    ['../../../src/playwright/reporter.ts', { markdownFile: `${folder}/summary.md`, ...reporter }],
  ],
  use: {
    ...browserConfig.use,
    ...(process.env['KIT_URL'] === undefined ? {} : { baseURL: process.env['KIT_URL'] }),
  },
});
