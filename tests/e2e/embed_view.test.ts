/** `<ccscope-view>` in pages that contain no other part of ccscope. */
import { accessibilityFaults } from '../support/axe.js';
import { expect, test } from './embed.js';

const SMALL = {
  ccscope_scenario: 1,
  id: 'small',
  title: 'A call over <img src=x onerror=alert(1)>',
  description: 'One call.',
  duration_s: 20,
  forward: { capacity: '1mbps', queue: 'droptail:300ms', one_way_delay_ms: 25 },
  flows: [{ kind: 'media', name: 'call', preset: 'gcc' }],
};

test('draws a shipped scenario from a folder of a static host, under a strict policy', async ({
  stranger,
}) => {
  await stranger.open(
    '<ccscope-view id="v" scenario="ton-fig8" seed="2" charts="rate,delay,states">A fixed threshold.</ccscope-view>',
  );
  const ready = await stranger.ready('v');
  expect(ready).toMatchObject({ kind: 'scenario', scenario: 'ton-fig8', seed: 2 });
  expect(await stranger.drawn('v', /^Rates/)).toBeGreaterThan(0.01);
  const view = stranger.view('v');
  await expect(view.getByRole('img')).toHaveCount(3);
  await expect(view.getByRole('figure').first()).toHaveAccessibleName(ready.title);
  await expect(view.getByRole('figure').first()).toHaveAccessibleDescription(
    /uses? \d+\.\d % of the mean capacity/,
  );
  await expect(view.getByText('A fixed threshold.')).toBeVisible();
  await expect(view.getByRole('button', { name: /^Capacity/ })).toContainText('Mbps');
  await view.getByText('Numbers').click();
  const row = view.getByRole('row', { name: ready.flows[0] ?? '' });
  await expect(row).toContainText(/Mbps|kbps/);
});

test('shows the RTT of TCP, and each flow’s own wait in a fair queue', async ({ stranger }) => {
  const flows = [...SMALL.flows, { kind: 'tcp', name: 'download' }];
  const shared = { ...SMALL, forward: { ...SMALL.forward, queue: 'fq_codel' }, flows };
  await stranger.open(
    `<ccscope-view id="v"><script type="application/json">${JSON.stringify(shared)}</script></ccscope-view>`,
  );
  await stranger.ready('v');
  const view = stranger.view('v');
  await expect(view.getByRole('button', { name: /^Queuing delay download/ })).toBeVisible();
  await view.getByText('Numbers').click();
  const titles = await view.getByRole('columnheader').allTextContents();
  const cells = view.getByRole('row', { name: 'download' }).locator('th, td');
  await expect(cells.nth(titles.findIndex((title) => title.startsWith('RTT p50')))).toHaveText(
    /^[1-9]\d*(\.\d)?$/,
  );
});

test('draws a scenario inside the element, one at an address, and one cell of several', async ({
  stranger,
}) => {
  stranger.give('/blog/small.json', JSON.stringify(SMALL));
  await stranger.open(`
    <ccscope-view id="inline"><script type="application/json">${JSON.stringify(SMALL).replaceAll('<', '\\u003c')}</script></ccscope-view>
    <ccscope-view id="address" scenario="small.json"></ccscope-view>
    <ccscope-view id="cell" scenario="lesson-aqm" cell="choice=codel"></ccscope-view>`);
  for (const id of ['inline', 'address']) {
    expect(await stranger.ready(id)).toMatchObject({ scenario: 'small', durationUs: 20e6 });
    // The title contains markup, which is shown as text.
    await expect(stranger.view(id).getByText(SMALL.title, { exact: true })).toBeVisible();
    await expect(stranger.view(id).locator('img')).toHaveCount(0);
  }
  await stranger.view('cell').scrollIntoViewIfNeeded();
  expect(await stranger.ready('cell')).toMatchObject({ cell: { choice: 'codel' } });
  await expect(stranger.view('cell').getByText('Queue CoDel')).toBeVisible();
});

test('draws a recording', async ({ stranger }) => {
  await stranger.open('<ccscope-view id="v" src="call.ndjson" charts="rate,delay,detector"></ccscope-view>');
  expect(await stranger.ready('v')).toMatchObject({ kind: 'trace', title: 'call.ndjson' });
  for (const name of [/^Rates/, /^Delay/, /^Overuse detector/])
    expect(await stranger.drawn('v', name)).toBeGreaterThan(0.01);
  await stranger.view('v').getByText('Numbers').click();
  await expect(stranger.view('v').getByRole('row', { name: 'Queuing delay' })).toContainText('ms');
});

test('the newest choice wins', async ({ page, stranger }) => {
  await stranger.open('<ccscope-view id="v" scenario="ton-fig8"></ccscope-view>');
  await stranger.ready('v');
  await page.evaluate(async () => {
    const view = document.querySelector('ccscope-view');
    if (view === null) return;
    // Makes each change in a separate task.
    const next = (): Promise<unknown> => new Promise((resolve) => setTimeout(resolve));
    for (const change of [
      () => (view.seed = 3),
      () => (view.scenario = 'lesson-aqm'),
      () => ((view.scenario = null), (view.src = 'call.ndjson')),
      () => ((view.src = null), (view.scenario = 'lesson-fairness')),
      () => (view.seed = 7),
    ]) {
      change();
      await next();
    }
  });
  const title = stranger.view('v').getByRole('figure').first();
  expect(await stranger.ready('v', 2)).toMatchObject({ scenario: 'lesson-fairness', seed: 7 });
  await expect(title).toHaveAttribute('aria-busy', 'false');
  expect(await page.evaluate(() => window.told.length)).toBe(2);
  await expect(stranger.view('v').getByText('seed 7')).toBeVisible();

  // Choosing other charts does not start another simulation.
  await page.evaluate(() => document.querySelector('ccscope-view')?.setAttribute('charts', 'states'));
  await expect(stranger.view('v').getByRole('img')).toHaveCount(1);
  expect(await page.evaluate(() => window.told.length)).toBe(2);
});

for (const [attributes, words, fix] of [
  ['scenario="ton-fig9"', /scenario: expected the id of a shipped scenario.*got "ton-fig9"/, /Did you mean/],
  [
    'scenario="&lt;img src=x onerror=alert(1)&gt;"',
    /scenario: expected a file at .*404/,
    /correct the address/i,
  ],
  ['scenario="javascript:alert(1)"', /scenario: expected an address/, /correct the address/i],
  ['scenario="ton-fig8" seed="-1"', /seed: expected a whole number/, /use a number/i],
  [
    'scenario="ton-fig8" charts="rates"',
    /charts: expected some of rate.*did you mean rate/,
    /list the charts/i,
  ],
  ['scenario="ton-fig8" cell="queue=codel"', /cell: expected .*got "queue=codel"/, /remove this/i],
  ['scenario="ton-fig8" flow="nobody"', /flow: expected a flow with a controller/, /correct the name/i],
  [
    'scenario="ton-fig8" src="call.ndjson"',
    /src: expected a scenario or a recording, got both/,
    /remove scenario or src/i,
  ],
  ['src="page.html"', /ccscope_trace: expected a first line/, /format v1/i],
  ['', /scenario: expected .*got nothing/, /add, for example, scenario/i],
] as const) {
  test(`says what is wrong with ${attributes || 'an element without attributes'}`, async ({ stranger }) => {
    await stranger.open(`<ccscope-view id="v" ${attributes}></ccscope-view>`);
    const { type, detail } = await stranger.told('v');
    expect(type).toBe('error');
    expect('message' in detail && detail.message).toMatch(words);
    const alert = stranger.view('v').getByRole('alert');
    await expect(alert).toContainText(words);
    await expect(alert).toContainText(fix);
    await expect(stranger.view('v').locator('img')).toHaveCount(0);
  });
}

test('what was wrong is put right', async ({ page, stranger }) => {
  await stranger.open('<ccscope-view id="v" scenario="nothing.json"></ccscope-view>');
  expect(await stranger.told('v')).toMatchObject({ type: 'error' });
  await page.evaluate(() => document.querySelector('ccscope-view')?.setAttribute('scenario', 'ton-fig8'));
  expect(await stranger.ready('v', 2)).toMatchObject({ scenario: 'ton-fig8' });
});

test('a page whose policy forbids workers is told so in the element', async ({ stranger }) => {
  const policy = "default-src 'none'; script-src 'self'; worker-src 'none'; connect-src 'self'";
  await stranger.open('<ccscope-view id="v" scenario="ton-fig8"></ccscope-view>', { policy });
  await expect(stranger.view('v').getByRole('alert')).toContainText('the page’s policy allows workers');
  await expect.poll(() => stranger.refused.splice(0).join()).toContain("worker-src 'none'");
});

test('opens in the Lab as it is', async ({ page, stranger, served }) => {
  stranger.give('/blog/small.json', JSON.stringify({ ...SMALL, title: 'A small scenario' }));
  await stranger.open(`
    <ccscope-view id="shipped" scenario="aqm-fig4" cell="queue=codel" seed="5" lab="${served.staticUrl}"></ccscope-view>
    <ccscope-view id="own" scenario="small.json" lab="${served.staticUrl}lab.html"></ccscope-view>`);
  await stranger.ready('shipped');
  const link = (id: string) => stranger.view(id).getByRole('link', { name: 'Open in the Lab' });
  const address = await link('own').getAttribute('href');
  await link('shipped').click();
  await expect(page.getByText('aqm-fig4').first()).toBeVisible();
  await expect(page.locator('.provenance').getByText('5', { exact: true })).toBeVisible();
  await page.goto(address ?? '');
  await expect(page.locator('.provenance').getByText('small', { exact: true })).toBeVisible();
});

test('simulates when it comes into view, with few workers for many views, and ends them', async ({
  page,
  stranger,
}) => {
  const views = Array.from(
    { length: 10 },
    (_, n) => `<ccscope-view id="v${n}" scenario="lesson-fairness" seed="${n + 1}"></ccscope-view>`,
  );
  // If views out of sight were simulated, this one would be the first.
  const far =
    '<div style="position:absolute;top:30000px"><ccscope-view id="far" scenario="lesson-fairness" seed="1"></ccscope-view></div>';
  await stranger.open(`${far}<div id="all">${views.join('')}</div>`, {
    policy: "default-src 'self'; script-src 'self' 'wasm-unsafe-eval'; style-src 'unsafe-inline'",
  });
  await stranger.ready('v0');
  expect(await page.evaluate(() => window.told.some(({ id }) => id === 'far'))).toBe(false);
  for (let n = 0; n < 10; n += 1) {
    await stranger.view(`v${n}`).scrollIntoViewIfNeeded();
    expect(await stranger.ready(`v${n}`)).toMatchObject({ seed: n + 1 });
  }
  expect(page.workers().length).toBeLessThanOrEqual(3);
  // A view that is moved in the document keeps its charts.
  await page.evaluate(() => document.querySelector('main')?.append(document.querySelector('#v9') ?? ''));
  await expect(stranger.view('v9').getByRole('img')).toHaveCount(2);
  await page.evaluate(() => document.querySelector('#all')?.remove());
  expect(page.workers().length).toBeGreaterThan(0);
  await page.evaluate(() => document.querySelectorAll('#v9, #far').forEach((view) => view.remove()));
  await expect.poll(() => page.workers().length).toBe(0);
});

test('the wheel scrolls the page until the charts are chosen', async ({ page, stranger }) => {
  await stranger.open(
    '<ccscope-view id="v" scenario="ton-fig8"></ccscope-view><p style="height:3000px"></p>',
    {
      policy: "default-src 'self'; script-src 'self' 'wasm-unsafe-eval'; style-src 'unsafe-inline'",
    },
  );
  await stranger.ready('v');
  const window = stranger.view('v').getByRole('toolbar').locator('.window');
  const whole = (await window.textContent()) ?? '';
  await stranger
    .view('v')
    .getByRole('img', { name: /^Rates/ })
    .hover();
  await page.mouse.wheel(0, -100);
  await page.mouse.wheel(0, 60);
  await expect.poll(() => page.evaluate(() => scrollY)).toBeGreaterThan(0);
  await expect(window).toContainText(whole);
  await page.keyboard.down('Control');
  await page.mouse.wheel(0, -200);
  await page.keyboard.up('Control');
  await expect(window).not.toContainText(whole);
  // Keys apply to the charts when the charts have the focus.
  await stranger
    .view('v')
    .getByRole('group', { name: /^Charts/ })
    .focus();
  await page.keyboard.press('Home');
  await expect(window).toContainText(whole);
});

test('is in the theme of the page around it, or its own', async ({ page, stranger }) => {
  await stranger.open(`
    <ccscope-view id="auto" scenario="lesson-aqm"></ccscope-view>
    <ccscope-view id="dark" scenario="lesson-aqm" theme="dark"></ccscope-view>`);
  await stranger.ready('auto');
  await stranger.ready('dark');
  const background = (id: string) =>
    stranger
      .view(id)
      .getByRole('figure')
      .first()
      .evaluate((figure) => getComputedStyle(figure).backgroundColor);
  const [light, dark] = [await background('auto'), await background('dark')];
  expect(light).not.toBe(dark);
  await page.evaluate(() => (document.documentElement.style.colorScheme = 'dark'));
  await expect.poll(() => background('auto')).toBe(dark);
  await page.evaluate(() => (document.documentElement.style.colorScheme = ''));
  await expect.poll(() => background('auto')).toBe(light);
  await page.emulateMedia({ colorScheme: 'dark' });
  await expect.poll(() => background('auto')).toBe(dark);
});

for (const theme of ['light', 'dark']) {
  test(`axe finds nothing in the ${theme} theme`, async ({ page, stranger }) => {
    await stranger.open(`
      <ccscope-view id="v" scenario="ton-fig8" theme="${theme}" charts="rate,delay,loss,controller,detector,states"
        lab="https://ccscope.example/"></ccscope-view>
      <ccscope-view id="wrong" scenario="ton-fig9" theme="${theme}"></ccscope-view>`);
    await stranger.ready('v');
    await stranger.told('wrong');
    await stranger.view('v').getByText('Numbers').click();
    expect(await accessibilityFaults(page)).toEqual([]);
  });
}

test('runs from another site that allows it', async ({ stranger, elsewhere }) => {
  const site = new URL(elsewhere).origin;
  const policy = `default-src 'none'; script-src ${site} 'wasm-unsafe-eval'; worker-src blob: ${site}; connect-src ${site}`;
  await stranger.open('<ccscope-view id="v" scenario="ton-fig8"></ccscope-view>', {
    script: `${elsewhere}ccscope-view.js`,
    policy,
  });
  expect(await stranger.ready('v')).toMatchObject({ scenario: 'ton-fig8' });
});
