import { expect, test } from '../../../src/playwright/index.js';

test.use({ linkOptions: { capacity: '900kbps', rtt: '20ms' }, linkCapture: 'both' });

test.describe('a call', () => {
  test('fails', async ({ page, call }) => {
    await page.goto('/loop.html');
    await call.connected();
    await expect(call).toHaveUtilisation({ max: '1%' }, { over: '1s', timeout: '2s' });
  });

  test('fails at first', async ({ page, call }, testInfo) => {
    await page.goto('/loop.html');
    await call.connected();
    if (testInfo.retry === 0)
      await expect(call).toHaveUtilisation({ max: '1%' }, { over: '1s', timeout: '2s' });
  });

  test('passes', async ({ page, call }) => {
    await page.goto('/loop.html');
    await call.connected();
    await expect(call).toLoseLessThan('100%', { over: '1s' });
  });
});
