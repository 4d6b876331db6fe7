/**
 * The link's panel on the Call page: buttons for whole networks, a download as cross traffic, and fields for
 * the other settings.
 */
import { Readable } from 'node:stream';

import type { Page } from '@playwright/test';

import { CROSS_FLOW } from '../../src/link/cross_rate.js';
import { collector, readTrace } from '../../src/trace/index.js';
import { accessibilityFaults } from '../support/axe.js';
import { expect, test } from './support.js';

const field = (page: Page, name: string) => page.locator(`[name="${name}"]`);

async function type(page: Page, name: string, value: string): Promise<void> {
  await field(page, name).fill(value);
  await field(page, name).press('Tab');
}

/** The latest rate of the TCP connections, in bit/s; NaN until a rate is shown. */
const tcpBps = async (page: Page): Promise<number> => {
  const text = (await page.getByRole('row', { name: /^TCP/ }).locator('.value').textContent()) ?? '';
  const [, digits, unit] = /^([\d.]+) ([kM])bps$/.exec(text) ?? [];
  return Number(digits) * (unit === 'M' ? 1e6 : 1e3);
};

for (const where of ['shaper', 'in-page'] as const)
  test(`a download shares the queue of the call and stops again (${where})`, async ({
    page,
    served,
    scope,
  }) => {
    await page.goto(`${served.url}?capacity=1.5mbps&queue=droptail:200ms&rtt_ms=20&bottleneck=${where}`);
    await scope.start();
    await expect(page.getByRole('button', { name: /^TCP/ })).toHaveCount(0);

    await page.getByRole('button', { name: 'Start a download' }).click();
    await expect.poll(() => scope.query().get('cross_traffic')).toBe('cubic:1');
    // The download gets a visible share of the capacity.
    await expect.poll(() => tcpBps(page)).toBeGreaterThan(300e3);
    await expect(scope.value('TCP')).toHaveText(/bps$/);
    await expect(page.getByRole('row', { name: /^TCP/ })).toContainText(/\d+\s%\sof 1\.50\sMbps/);

    const sharing = page.locator('.sharing');
    await expect(sharing).toContainText(
      /Over the last 5 s, TCP got [\d.]+ [kM]bps of 1\.5 Mbps, and the call got [\d.]+ [kM]bps\./,
    );
    await expect(sharing).toContainText('TCP slows down only on loss, so it fills the queue.');
    await expect(sharing.getByRole('link', { name: 'Why TCP can starve a call' })).toBeVisible();
    // In print, the button that offers FQ-CoDel is hidden.
    await page.emulateMedia({ media: 'print' });
    await expect(sharing.locator('.offer')).toBeHidden();
    await page.emulateMedia({ media: null });
    // The button also converts the queue's limit from 200 ms to 25 packets, as choosing FQ-CoDel in the menu
    // does.
    await expect(field(page, 'queue.limit')).toHaveValue('200');
    await sharing.getByRole('button', { name: 'Try FQ-CoDel' }).click();
    await expect(sharing).toContainText(
      'FQ-CoDel gives each flow a queue of its own. The fair share of the call is 750 kbps.',
    );
    await expect(sharing.getByRole('button')).toHaveCount(0);
    await expect(field(page, 'queue.limit')).toHaveValue('25');
    await expect(
      page.getByText('The limit of 200 ms became 25 packets of 1500 B (at 1.50 Mbps).'),
    ).toBeVisible();
    const marks = page.getByRole('group', { name: 'Marked changes' }).getByRole('button');
    await expect(marks).toHaveText([
      /a download starts \(TCP CUBIC\)$/,
      /queue: DropTail 200 ms to FQ-CoDel 25 packets$/,
    ]);

    await field(page, 'download').selectOption('newReno');
    await expect.poll(() => scope.query().get('cross_traffic')).toBe('newreno:1');
    await page.getByRole('button', { name: 'Stop the download' }).click();
    await expect.poll(() => scope.query().get('cross_traffic')).toBeNull();
    await expect.poll(() => tcpBps(page)).toBe(0);
    await expect(sharing).toBeEmpty();
    await expect(page.getByRole('status')).toHaveText('Live');

    const { sink, trace, header } = collector();
    const recorded = await page.evaluate(() => window.ccscope.exportTrace());
    await readTrace(Readable.from([Buffer.from(recorded)]), sink);
    expect(header()).toMatchObject({ flows: [{ flow: CROSS_FLOW, name: 'TCP', kind: 'tcp' }] });
    const { columns } = trace.view({
      table: 'throughput',
      columns: ['received_bps'],
      where: { column: 'flow', value: CROSS_FLOW },
    });
    const capacity = 1.5e6;
    expect(Math.max(...(columns['received_bps'] ?? []))).toBeLessThan(1.1 * capacity);

    // The TCP rate is also drawn when the recording is opened from a file.
    const file = { name: 'beside.ndjson', mimeType: 'application/x-ndjson', buffer: Buffer.from(recorded) };
    await scope.stop();
    await page.locator('input[type=file][accept*=ndjson]').setInputFiles(file);
    await expect(page.getByText('beside.ndjson')).toBeVisible();
    await expect(scope.value('TCP')).toHaveText(/bps$/);
  });

test('a call of a link with a download says so before it starts, and how it shared the link after it', async ({
  page,
  served,
  scope,
}) => {
  await page.goto(`${served.url}?capacity=1.5mbps&rtt_ms=20&cross_traffic=cubic:1`);
  const card = page.locator('.welcome');
  await expect(card).toContainText('A download shares this link from the start (TCP CUBIC).');
  await page.getByRole('button', { name: 'Remove the download' }).click();
  await expect(card).not.toContainText('download');
  await page.getByRole('button', { name: 'Add a download' }).click();
  await expect(page.getByText('It starts with the call.')).toBeVisible();

  await scope.start();
  await expect(page.getByRole('button', { name: 'Stop the download' })).toBeVisible();
  const sharing = page.locator('.sharing');
  await expect(sharing).toContainText('Over the last 5 s, TCP got');
  const toolbar = page.getByRole('toolbar', { name: 'Time axis' });
  const before = await toolbar.boundingBox();
  await scope.stop();
  await expect(sharing).toContainText('Over the last 5 s of the call, TCP got');
  await expect(sharing.getByRole('link', { name: 'Why TCP can starve a call' })).toBeVisible();
  await expect(sharing.getByRole('button')).toHaveCount(0);
  // The queue that is chosen for the next call does not change the text about this call.
  await field(page, 'queue').selectOption('fq_codel');
  await expect(sharing).toContainText('so it fills the queue');
  expect((await toolbar.boundingBox())?.y).toBe(before?.y);

  page.on('dialog', (dialog) => void dialog.accept());
  await page.getByRole('heading', { name: 'ccscope' }).getByRole('link').click();
  await expect(page.getByRole('link', { name: 'Why does TCP starve a call?' })).toBeVisible();
  await expect(page.getByLabel('Notices')).toContainText(/This browser still keeps the recording of/);
});

test('a network sets the fields of the link, and is pressed while they are its own', async ({
  page,
  served,
  scope,
}) => {
  await page.goto(`${served.url}?seed=7&jitter_ms=3`);
  const network = (name: string) =>
    page.getByRole('group', { name: 'Networks' }).getByRole('button', { name });
  for (const name of ['LTE', 'Café Wi-Fi', 'Bufferbloat', 'Sudden fall']) {
    await network(name).click();
    await expect(network(name)).toHaveAttribute('aria-pressed', 'true');
    await expect(page.locator('.networks button[aria-pressed=true]')).toHaveCount(1);
  }
  await expect(field(page, 'capacity')).toHaveValue('2.5mbps,0.6mbps@20s,1mbps@40s');
  await network('Café Wi-Fi').click();
  await expect(field(page, 'outage.off_ms')).toHaveValue('20');
  await expect(field(page, 'loss')).toHaveValue('1');
  await expect(field(page, 'burst_loss')).toHaveValue('3');
  await type(page, 'loss', '2');
  await expect(network('Café Wi-Fi')).toHaveAttribute('aria-pressed', 'false');

  await network('Reset').click();
  await expect(network('Reset')).toBeDisabled();
  await expect.poll(() => page.url()).toBe(`${served.url}?seed=7`);
  expect(scope.query().get('seed')).toBe('7');
});

test('the queue is a menu and its settings are fields; all of it is in the address', async ({
  page,
  served,
  scope,
}) => {
  await page.goto(served.url);
  await expect(field(page, 'queue')).toHaveValue('droptail');
  await expect(field(page, 'queue.limit')).toHaveValue('300');
  await field(page, 'queue.limit-unit').selectOption('limit_packets');
  await type(page, 'queue.limit', '40');
  await expect.poll(() => scope.query().get('queue')).toBe('droptail:40p');
  await type(page, 'queue.limit', '0');
  await expect(
    page.getByText('Expected a whole number from 1 to 1000000 packets; 40 is kept.'),
  ).toBeVisible();
  await expect(field(page, 'queue.limit')).toHaveValue('40');

  await field(page, 'queue').selectOption({ label: 'CoDel: keeps delay short' });
  await type(page, 'queue.target_ms', '13');
  // The limit is kept when the discipline changes.
  await expect.poll(() => scope.query().get('queue')).toBe('codel:40p,target=13ms');
  await page.getByText('2 more settings of the queue').click();
  await field(page, 'queue.least_backlog').selectOption('largest');
  await expect.poll(() => scope.query().get('queue')).toBe('codel:40p,target=13ms,least_backlog=largest');
  await page.reload();
  await expect(field(page, 'queue.target_ms')).toHaveValue('13');
  await page.getByRole('button', { name: 'Reset Target to the default' }).click();
  await expect.poll(() => scope.query().get('queue')).toBe('codel:40p,least_backlog=largest');
  for (const theme of ['light', 'dark']) {
    await page.goto(`${served.url}?theme=${theme}&queue=pie&outage=100ms/20ms`);
    await expect(field(page, 'queue')).toHaveValue('pie');
    expect(await accessibilityFaults(page)).toEqual([]);
  }
});

test('outages, bursts of losses and reordering reach the link of the running call', async ({
  page,
  served,
  scope,
}) => {
  await page.goto(served.url);
  await scope.start();
  await type(page, 'outage.off_ms', '20');
  await type(page, 'outage.on_ms', '300');
  await type(page, 'loss', '2');
  await type(page, 'burst_loss', '4');
  await type(page, 'reorder.percent', '1');
  await expect.poll(() => scope.query().get('outage')).toBe('300ms/20ms');
  await expect.poll(() => scope.query().get('reorder')).toBe('0.01/20ms');
  const told = await page.evaluate(() => window.ccscope.exportTrace());
  const set = told
    .split('\n')
    .filter((line) => line.includes('"name":"link"'))
    .map((line) => (JSON.parse(line) as { detail: object }).detail);
  expect(Object.assign({}, ...set)).toEqual({
    outage: '300ms/20ms',
    loss_ratio: 0.02,
    burst_loss_packets: 4,
    reorder: '0.01/20ms',
  });
  await expect(page.getByLabel('Notices')).not.toContainText('refused');
});

test('a number out of its range is named where it was typed, and the former one stays', async ({
  page,
  served,
}) => {
  await page.goto(served.url);
  await type(page, 'rtt_ms', '-5');
  await expect(page.getByText('Expected a number from 0 to 2000 ms; 50 is kept.')).toBeVisible();
  await expect(field(page, 'rtt_ms')).toHaveValue('50');
  await type(page, 'loss', '150');
  await expect(page.getByText('Expected a number from 0 to 100 %; 0 is kept.')).toBeVisible();
  await expect(field(page, 'loss')).toHaveValue('0');
  await page.getByText('Parameters', { exact: true }).click();
  await type(page, 'set.alpha', '7');
  await expect(page.getByText('Expected a number from 0.1 to 1; 0.85 is kept.')).toBeVisible();
  await expect(field(page, 'set.alpha')).toHaveValue('0.85');
});
