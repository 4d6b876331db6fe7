import { expect, test } from '../../../src/playwright/index.js';

test.describe.configure({ retries: 0 });

test('two of three', async ({ repeat }) => {
  await repeat(3, { pass: 0.6 }, async ({ page, call, run }) => {
    await page.goto('/loop.html');
    await call.connected();
    await call.settle();
    if (run === 2) throw new Error('the second run fails');
    expect(call.record.endpoints).toHaveLength(2);
    return call.metrics();
  });
});
