/** A user's configuration of `merge-reports`. */
const folder = process.env['KIT_OUT'] ?? 'test-results';
const reporter = JSON.parse(process.env['KIT_REPORTER'] ?? '{}') as Record<string, unknown>;

export default {
  testDir: '.',
  reporter: [['../../../src/playwright/reporter.ts', { markdownFile: `${folder}/merged.md`, ...reporter }]],
};
