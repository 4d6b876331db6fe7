import { accessibilityFaults } from '../support/axe.js';
import { expect, test } from './support.js';

const LINK =
  '?capacity=700kbps&rtt_ms=80&preset=static-threshold&set.alpha=0.8&theme=dark&window_s=12&hide=sent&bottleneck=in-page';

test('a link sets everything, and settings go into the link', async ({ page, served, scope }) => {
  await page.goto(`${served.url}${LINK}`);
  const check = async (): Promise<void> => {
    await expect(page.locator('html')).toHaveAttribute('data-theme', 'dark');
    await expect(page.locator('input[name=capacity]')).toHaveValue('700kbps');
    await expect(page.locator('input[name=rtt_ms]')).toHaveValue('80');
    await expect(page.locator('select[name=preset]')).toHaveValue('static-threshold');
    await page.getByText('Parameters 1 changed').click();
    await expect(page.locator('input[name="set.alpha"]')).toHaveValue('0.8');
    await expect(page.getByRole('button', { name: /^Sent/ })).toHaveAttribute('aria-pressed', 'false');
    await expect(page.getByText('12 s shown')).toBeVisible();
  };
  await check();
  await expect(page.getByLabel('Notices').getByRole('listitem')).toHaveCount(0);

  await page.locator('input[name=jitter_ms]').fill('7');
  await page.locator('input[name=jitter_ms]').press('Tab');
  await expect.poll(() => scope.query().get('jitter_ms')).toBe('7');
  await page.reload();
  await check();
  await expect(page.locator('input[name=jitter_ms]')).toHaveValue('7');
});

test('a wrong value in the link is named, and the default is used', async ({ page, served }) => {
  await page.goto(`${served.url}?rtt_ms=fast&preset=gcc`);
  await expect(page.getByLabel('Notices')).toContainText('rtt_ms=fast');
  await expect(page.getByLabel('Notices')).toContainText('a number from 0 to 2000 ms');
  await expect(page.locator('input[name=rtt_ms]')).toHaveValue('50');
  await expect(page.locator('select[name=preset]')).toHaveValue('gcc');
});

test('the time axis works by keyboard', async ({ page, served, scope }) => {
  await page.goto(`${served.staticUrl}?bottleneck=in-page`);
  const start = page.getByRole('banner').getByRole('button', { name: 'Start' });
  await start.focus();
  await page.keyboard.press('Enter');
  await scope.live();
  await scope.groups(60);
  const charts = page.getByRole('group', { name: /^Charts/ });
  await charts.focus();
  await page.keyboard.press('+');
  await expect(page.getByText('20 s shown')).toBeVisible();
  await page.keyboard.press(' ');
  await expect(page.getByRole('button', { name: /Follow/ })).toBeVisible();
  await page.keyboard.press('ArrowRight');
  await expect(page.getByText(/cursor held at/)).toBeVisible();
  await page.keyboard.press('Escape');
  await expect(page.locator('.window')).not.toContainText('cursor');
  // Escape also releases the cursor while a button of the charts or of the toolbar has the focus. If the button
  // disappears, its toolbar gets the focus.
  await page.keyboard.press('ArrowRight');
  await charts.getByRole('button').first().focus();
  await page.keyboard.press('Escape');
  await expect(page.locator('.window')).not.toContainText('cursor');
  await charts.focus();
  await page.keyboard.press('ArrowRight');
  const release = page.getByRole('button', { name: 'Release the cursor' });
  await release.focus();
  await page.keyboard.press('Escape');
  await expect(page.locator('.window')).not.toContainText('cursor');
  await expect(page.getByRole('toolbar', { name: 'Time axis' })).toBeFocused();
  await charts.focus();
  await page.keyboard.press('End');
  await expect(page.getByRole('button', { name: /Pause/ })).toBeVisible();
});

test('the wheel scrolls the page, with Ctrl it zooms all charts about one cursor, and dragging pans them', async ({
  page,
  served,
  scope,
}) => {
  await page.goto(`${served.staticUrl}?bottleneck=in-page&paused=1&from_s=0&window_s=20`);
  const canvas = page.getByRole('img', { name: /^Rates/ });
  await canvas.hover();
  await expect(page.getByText(/cursor at/)).toBeVisible();
  await page.mouse.wheel(0, 100);
  const scrolled = () => page.locator('.scope').evaluate((element) => element.scrollTop + scrollY);
  await expect.poll(scrolled).toBeGreaterThan(0);
  expect(scope.query().get('window_s')).toBe('20');
  await canvas.hover();
  const box = await canvas.boundingBox();
  if (!box) throw new Error('the chart has no box');
  await page.keyboard.down('Control');
  await page.mouse.wheel(0, -300);
  await page.keyboard.up('Control');
  await expect.poll(() => Number(scope.query().get('window_s'))).toBeLessThan(20);
  const before = Number(scope.query().get('from_s'));
  expect(before).toBeGreaterThan(0);
  await page.mouse.down();
  await page.mouse.move(box.x + box.width / 4, box.y + box.height / 2);
  await page.mouse.up();
  await expect.poll(() => Number(scope.query().get('from_s'))).toBeGreaterThan(before + 1);

  const window = Number(scope.query().get('window_s'));
  await page.keyboard.down('Shift');
  await page.mouse.move(box.x + box.width * 0.4, box.y + box.height / 2);
  await page.mouse.down();
  await page.mouse.move(box.x + box.width * 0.6, box.y + box.height / 2);
  await page.mouse.up();
  await page.keyboard.up('Shift');
  await expect.poll(() => Number(scope.query().get('window_s')) / window).toBeLessThan(0.3);
  expect(Number(scope.query().get('window_s')) / window).toBeGreaterThan(0.15);
});

test('the wheel scrolls the page after a click on a chart, too; the click holds the cursor', async ({
  page,
  served,
  scope,
}) => {
  await page.goto(`${served.staticUrl}?bottleneck=in-page&paused=1&from_s=10&window_s=20`);
  await expect(page.getByRole('row', { name: /^Values/ })).toHaveText(/at 30 s$/);
  const canvas = page.getByRole('img', { name: /^Rates/ });
  await canvas.click();
  await expect(page.getByText(/cursor held at/)).toBeVisible();
  const held = await page.locator('.window b').textContent();
  await page.mouse.wheel(0, 100);
  const scrolled = () => page.locator('.scope').evaluate((element) => element.scrollTop + scrollY);
  await expect.poll(scrolled).toBeGreaterThan(0);
  expect(scope.query().get('window_s')).toBe('20');
  await page.getByRole('heading', { name: 'ccscope' }).hover();
  await expect(page.locator('.window b')).toHaveText(held ?? '');
  await expect(page.getByRole('row', { name: /^Values at/ })).toBeVisible();
  await page.keyboard.press('Escape');
  await expect(page.getByText(/cursor held/)).toHaveCount(0);
  await expect(page.getByRole('row', { name: /^Values/ })).toHaveText(/at 30 s$/);
});

test('a change of the link while the charts are paused leads back to the call', async ({
  page,
  served,
  scope,
}) => {
  await page.goto(`${served.staticUrl}?bottleneck=in-page`);
  await scope.start();
  await page.getByRole('button', { name: 'All', exact: true }).click();
  await expect(page.getByText('the charts are paused')).toBeVisible();
  await page.locator('input[name=jitter_ms]').fill('7');
  await page.locator('input[name=jitter_ms]').press('Tab');
  const notice = page
    .getByLabel('Notices')
    .getByRole('listitem')
    .filter({ hasText: 'The charts are paused' });
  await notice.getByRole('button', { name: 'Follow' }).click();
  await expect(notice).toHaveCount(0);
  await expect(page.getByRole('button', { name: 'Pause' })).toBeVisible();
});

test('the document itself never scrolls beside its columns', async ({ page, served }) => {
  await page.setViewportSize({ width: 1280, height: 800 });
  await page.goto(served.staticUrl);
  await page.getByText('Call', { exact: true }).last().click();
  for (const part of ['.scope', 'aside'])
    await page.locator(part).evaluate((element) => (element.scrollTop = element.scrollHeight));
  const beyond = await page.evaluate(() => document.documentElement.scrollHeight - innerHeight);
  expect(beyond).toBe(0);
});

test('the card offers a network of the Lab, and is the first thing on a phone', async ({ page, served }) => {
  await page.setViewportSize({ width: 390, height: 844 });
  await page.goto(served.staticUrl);
  const start = page.locator('.welcome').getByRole('button', { name: 'Start' });
  const box = await start.boundingBox();
  expect((box?.y ?? Infinity) + (box?.height ?? 0)).toBeLessThan(500);
  const network = page.getByRole('link', { name: 'simulate a network of your own' });
  await expect(network).toHaveAttribute('href', /lab\.html#own=/);
  await network.click();
  await expect(page.getByText('My network').first()).toBeVisible();
});

test('a question mark beside a chart explains its lines, by keyboard, too', async ({
  page,
  served,
  scope,
}) => {
  await page.goto(`${served.staticUrl}?paused=1`);
  const button = page.getByRole('button', { name: 'What the lines of Rates mean' });
  await button.focus();
  await page.keyboard.press('Enter');
  const meanings = page.locator('.meanings:popover-open');
  await expect(meanings).toContainText('Rate of the delay-based controller, at the receiver.');
  await expect(meanings.getByRole('term').filter({ hasText: /^Ar$/ })).toBeVisible();
  expect(await accessibilityFaults(page)).toEqual([]);
  await page.keyboard.press('Escape');
  await expect(meanings).toHaveCount(0);
  await expect(button).toBeFocused();
  expect(scope.query().get('paused')).toBe('1');
});

test('a number out of range is refused where it was typed', async ({ page, served }) => {
  await page.goto(served.url);
  const rtt = page.locator('input[name=rtt_ms]');
  await rtt.fill('9999');
  await rtt.press('Tab');
  await expect(page.getByText('Expected a number from 0 to 2000 ms; 50 is kept.')).toBeVisible();
  await expect(rtt).toHaveValue('50');
});

test('a capacity without a unit is doubted, and a refused one is replaced by a network', async ({
  page,
  served,
}) => {
  await page.goto(served.url);
  const capacity = page.locator('input[name=capacity]');
  await capacity.fill('2');
  await capacity.press('Tab');
  await expect(page.getByText('2 means 2 bit/s; for megabits per second, write 2mbps.')).toBeVisible();
  await capacity.fill('2 mb');
  await capacity.press('Tab');
  await expect(capacity).toHaveAttribute('aria-invalid', 'true');
  await page.getByRole('button', { name: 'LTE' }).click();
  await expect(capacity).toHaveValue('12mbps');
  await expect(capacity).toHaveAttribute('aria-invalid', 'false');
});

test('nothing on the page leads nowhere or has no name', async ({ page, served }) => {
  await page.goto(served.url);
  await expect(page.getByRole('link')).not.toHaveCount(0);
  for (const link of await page.getByRole('link').all()) {
    const response = await page.request.get(
      new URL((await link.getAttribute('href')) ?? '', page.url()).href,
    );
    expect(response.status()).toBe(200);
  }
  for (const summary of await page.locator('aside summary').all()) await summary.click();
  const unnamed = await page
    .locator('button, input:not([aria-hidden=true]), select')
    .evaluateAll((elements) =>
      elements
        .filter((element) => {
          const labels = (element as HTMLInputElement).labels?.length ?? 0;
          return labels === 0 && !element.getAttribute('aria-label') && !element.textContent.trim();
        })
        .map((element) => element.outerHTML),
    );
  expect(unnamed).toEqual([]);
});
