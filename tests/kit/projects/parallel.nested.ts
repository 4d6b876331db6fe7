import { expect, test } from '../../../src/playwright/index.js';

test.use({ linkOptions: { capacity: '900kbps', rtt: '20ms' } });

for (const n of [1, 2, 3, 4]) {
  test(`call ${n}`, async ({ page, link, call }, testInfo) => {
    const port = link.relay?.port ?? 0;
    testInfo.annotations.push({ type: 'port', description: String(port) });
    await page.goto('/loop.html');
    await call.connected();
    await expect(call).toLoseLessThan('100%', { over: '1s' });
    expect(call.record.endpoints.every(({ routed }) => routed !== false)).toBe(true);
  });
}

test('fails at first', async ({ page, call }, testInfo) => {
  await page.goto('/loop.html');
  await call.connected();
  if (testInfo.retry === 0)
    await expect(call).toHaveUtilisation({ max: '1%' }, { over: '1s', timeout: '2s' });
});

test('no call', ({ baseURL }) => {
  expect(baseURL).toContain('http');
});
