import { readFile } from 'node:fs/promises';

import { loadCore } from '../../src/core/index.js';
import { readScenario } from '../../src/command_line/scenarios.js';
import { formatRate } from '../../src/charts/columns.js';
import { parseScenario, runCell, traceHeader, type CellParams } from '../../src/scenario/index.js';
import { formatTrace, TraceData } from '../../src/trace/index.js';
import { expect, pressRun, test as base, type Served } from './support.js';
import type { Page } from '@playwright/test';

/** Drives the Lab's page as a user would. */
class LabPage {
  constructor(
    readonly page: Page,
    readonly served: Served,
  ) {}

  async open(query = ''): Promise<void> {
    await this.page.goto(`${this.served.staticUrl}lab.html${query}`);
  }

  async run(): Promise<void> {
    await pressRun(this.page);
  }

  /**
   * Cancels the run. The page ignores a press that comes right after the button has become "Cancel". After a press
   * that counted, the button is gone, perhaps long before the run is drawn.
   */
  async cancel(): Promise<void> {
    const cancel = this.page.getByRole('banner').getByRole('button', { name: 'Cancel' });
    const isCancelled = async (): Promise<void> => {
      if (await cancel.isVisible()) await cancel.click({ timeout: 1000 });
      await expect(this.page.getByRole('status')).toHaveText('Cancelled', { timeout: 1000 });
    };
    await expect(isCancelled).toPass();
  }

  async done(): Promise<void> {
    await expect(this.page.getByRole('status')).toHaveText('Done');
  }

  glance(name: string) {
    return this.page.locator('.summary').getByRole('row', { name: new RegExp(`^${name}`) });
  }

  published(name: string) {
    return this.page.getByRole('region', { name: 'Published and measured' }).getByRole('row', { name });
  }

  query(): URLSearchParams {
    return new URL(this.page.url()).searchParams;
  }
}

const test = base.extend<{ lab: LabPage }>({
  // Every test fails when the page throws or logs an error.
  lab: async ({ page, served }, use) => {
    const errors: string[] = [];
    page.on('pageerror', (error) => errors.push(error.message));
    page.on('console', (message) => {
      if (message.type() === 'error') errors.push(message.text());
    });
    await use(new LabPage(page, served));
    expect(errors).toEqual([]);
  },
});

const CELL: CellParams = { queue: '350ms', capacity: '1mbps' };
const QUERY = '?scenario=ton-fig11&cell.queue=350ms&cell.capacity=1mbps&seed=4';

const OWN = {
  ccscope_scenario: 1,
  id: 'mine',
  title: 'My own link',
  description: 'Two flows that meet.',
  duration_s: 60,
  forward: { capacity: '2mbps', queue: 'codel', one_way_delay_ms: 30 },
  flows: [
    { kind: 'media', name: 'alice' },
    { kind: 'media', name: 'bob', start_s: 10 },
    { kind: 'tcp', name: 'download', start_s: 20 },
  ],
};

const file = (name: string, text: string) => ({
  name,
  mimeType: 'application/json',
  buffer: Buffer.from(text),
});

test('the Lab is reached from the Call page, and back', async ({ page, served, lab }) => {
  await page.goto(`${served.url}?theme=dark`);
  await page.getByRole('navigation').getByRole('link', { name: 'Lab' }).click();
  await expect(page).toHaveTitle(/Lab/);
  await expect(page.locator('html')).toHaveAttribute('data-theme', 'dark');
  await expect(page.getByRole('heading', { name: 'One flow over a constant capacity' })).toBeVisible();
  await page.getByRole('navigation').getByRole('link', { name: 'Call' }).click();
  await expect(page).toHaveTitle(/Call/);
  expect(lab.query().get('theme')).toBe('dark');
});

test('a cell is chosen and run: charts, metrics and what was published; its link shows the same', async ({
  page,
  lab,
}) => {
  await lab.open();
  await page.locator('input[type=search]').fill('ton constant capacity');
  await page.getByLabel('Scenario', { exact: true }).selectOption('ton-fig11');
  await page.locator('select[name="cell.queue"]').selectOption('350 ms');
  await page.locator('select[name="cell.capacity"]').selectOption('1 Mbps');
  await page.locator('input[name=seed]').fill('4');
  await lab.run();
  await lab.done();

  const scenario = readScenario('ton-fig11');
  const { windows } = runCell(await loadCore(), scenario, CELL, 4);
  const [whole] = windows;
  const flow = whole?.flows[0];
  if (!whole || !flow) throw new Error('the run in Node gave no flow');
  const percent = `${((flow.receiveRateBps / whole.forward.capacityBps) * 100).toFixed(1)} %`;
  const check = async (): Promise<void> => {
    await expect(lab.glance('Utilisation')).toContainText(percent);
    await expect(lab.published('utilisation')).toContainText('slightly above 90 %');
    await expect(lab.published('utilisation')).toContainText(percent);
    // The experiment has several runs, so a single run gets no verdict. It only counts as inside or outside the
    // published band.
    await expect(lab.published('utilisation').getByRole('cell').last()).toHaveText(/^(inside|outside)$/);
    await expect(page.getByText('A single run, seed 4.')).toBeVisible();
    await expect(page.getByRole('img', { name: /^Rates/ })).toBeVisible();
    await expect(page.getByRole('img', { name: /^Overuse detector/ })).toBeVisible();
    await expect(page.getByRole('button', { name: /^Capacity/ }).first()).toContainText('1.00 Mbps');
    await expect(page.getByRole('button', { name: /^Queuing delay/ })).toContainText('ms');
    await expect(
      page.getByRole('region', { name: 'Flows' }).getByRole('row', { name: /^Draw gcc/ }),
    ).toContainText(percent);
  };
  await check();
  await expect
    .poll(() => Object.fromEntries(lab.query()))
    .toMatchObject({
      scenario: 'ton-fig11',
      'cell.queue': '350ms',
      'cell.capacity': '1mbps',
      seed: '4',
      run: '1',
    });
  await page.reload();
  await lab.done();
  await check();
});

test('the metrics that are downloaded are those of Node', async ({ page, lab }) => {
  await lab.open(`${QUERY}&run=1&packets=1`);
  await lab.done();
  const [metrics] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('button', { name: 'Download metrics' }).click(),
  ]);
  const { windows } = runCell(await loadCore(), readScenario('ton-fig11'), CELL, 4);
  const report = JSON.parse(await readFile(await metrics.path(), 'utf8')) as { windows: unknown };
  expect(report.windows).toEqual(JSON.parse(JSON.stringify(windows)));

  const [trace] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('button', { name: 'Download trace' }).click(),
  ]);
  const lines = (await readFile(await trace.path(), 'utf8')).split('\n');
  expect(JSON.parse(lines[0] ?? '')).toMatchObject({ ccscope_trace: 1, source: 'simulator', seed: 4 });
  expect(lines.filter((line) => line.startsWith('{"type":"arrival"')).length).toBeGreaterThan(20_000);
});

test('any controller runs in any scenario, and its own charts are drawn', async ({ page, lab }) => {
  await lab.open(QUERY);
  await page.locator('select[name=controller]').selectOption('nada-rfc8698');
  await lab.run();
  await lab.done();
  const facts = page.locator('.provenance');
  await expect(facts).toContainText('NADA (nada-rfc8698)');
  const signal = page.getByRole('img', { name: /^Congestion signal/ });
  await expect(signal).toBeVisible();
  await expect(page.getByRole('button', { name: /^x_curr/ }).locator('.reading')).toContainText('ms');
  await expect(page.getByRole('img', { name: /^Overuse detector/ })).toHaveCount(0);
  // The published values are for GCC, so they are not shown for NADA.
  await expect(page.getByRole('region', { name: 'Published and measured' })).toHaveCount(0);
  await expect.poll(() => lab.query().get('controller')).toBe('nada-rfc8698');

  await page.locator('select[name=controller]').selectOption('lcc');
  await lab.run();
  await lab.done();
  await expect(facts).toContainText('LCC');
  await expect(signal).toHaveCount(0);
  await expect(page.getByRole('img', { name: /^Delay target/ })).toBeVisible();
  await expect(page.getByRole('button', { name: /^T_?c/ }).locator('.reading')).toContainText('ms');

  // In this scenario, each cell determines the controller. So the user chooses the controller by choosing the cell.
  await page.getByLabel('Scenario', { exact: true }).selectOption('rmcat-5.1');
  await expect(page.locator('select[name=controller]')).toHaveCount(0);
  await page.locator('select[name="cell.controller"]').selectOption('NADA 2015');
  await lab.run();
  await lab.done();
  await expect(facts).toContainText('NADA (nada-2015)');
  await expect(signal).toBeVisible();
});

test('a seed that is being typed stays when the page shows another run', async ({ page, lab }) => {
  await lab.open('?scenario=ton-fig11&run=1');
  await lab.done();
  const seed = page.locator('input[name=seed]');
  await seed.fill('4');
  // Chooses another cell by dispatching an event, so that the seed field keeps the focus.
  const capacity = page.locator('select[name="cell.capacity"]');
  await capacity.evaluate((select: HTMLSelectElement) => {
    select.selectedIndex += 1;
    select.dispatchEvent(new Event('change', { bubbles: true }));
  });
  await expect.poll(() => lab.query().get('cell.capacity')).not.toBeNull();
  await lab.done();
  await expect(seed).toHaveValue('4');
  await seed.press('Enter');
  await expect.poll(() => lab.query().get('seed')).toBe('4');
});

test('a press on Run that also enters a number does not cancel the run that the number starts', async ({
  page,
  lab,
}) => {
  await lab.open();
  const long = { ...OWN, duration_s: 200_000 };
  await page.locator('input[type=file][accept*=json]').setInputFiles(file('long.json', JSON.stringify(long)));
  await expect(page.getByText('from long.json')).toBeVisible();
  const button = (name: string) => page.getByRole('banner').getByRole('button', { name });
  await lab.run();
  await lab.cancel();
  await page.locator('input[name=seed]').fill('7');
  await button('Run').hover();
  await page.mouse.down();
  await expect(button('Cancel')).toBeVisible();
  await page.mouse.up();
  await expect(page.getByRole('status')).toHaveText('Simulating');
  await lab.cancel();
});

test('a press on Run when a run has just started does not cancel it', async ({ page, lab }) => {
  await lab.open();
  const long = { ...OWN, duration_s: 200_000 };
  await page.locator('input[type=file][accept*=json]').setInputFiles(file('long.json', JSON.stringify(long)));
  await expect(page.getByText('from long.json')).toBeVisible();
  await lab.run();
  // Presses the button in the task in which it becomes "Cancel", as a user does who was about to press "Run".
  await page.evaluate(async () => {
    const button = document.querySelector<HTMLButtonElement>('header button.start, header button.stop');
    while (button?.textContent !== 'Cancel') await new Promise(requestAnimationFrame);
    button.click();
  });
  await expect(page.getByRole('progressbar', { name: 'Simulated' })).toBeVisible();
  await expect(page.getByRole('status')).toHaveText('Simulating');
  await lab.cancel();
});

test('a run can be cancelled, and keeps what it has', async ({ page, lab }) => {
  await lab.open();
  const long = { ...OWN, duration_s: 200_000 };
  await page.locator('input[type=file][accept*=json]').setInputFiles(file('long.json', JSON.stringify(long)));
  await expect(page.getByText('from long.json')).toBeVisible();
  await lab.run();
  const simulated = page.getByRole('progressbar', { name: 'Simulated' });
  await expect.poll(() => simulated.getAttribute('value').then(Number)).toBeGreaterThan(0.001);
  await lab.cancel();
  await expect(page.getByText(/then cancelled/)).toBeVisible();
  await expect(lab.glance('Received')).toContainText('bps');
});

test('a file that cannot be opened leaves the run that is under way', async ({ page, lab }) => {
  await lab.open();
  const upload = page.locator('input[type=file][accept*=json]');
  await upload.setInputFiles(file('long.json', JSON.stringify({ ...OWN, duration_s: 200_000 })));
  await expect(page.getByText('from long.json')).toBeVisible();
  await lab.run();
  const simulated = page.getByRole('progressbar', { name: 'Simulated' });
  await expect.poll(() => simulated.getAttribute('value').then(Number)).toBeGreaterThan(0.001);
  await upload.setInputFiles(file('typo.json', '{"ccscope_scenario": 1,'));
  await expect(page.getByLabel('Notices')).toContainText('typo.json was not opened');
  await expect(simulated).toBeVisible();
  await lab.cancel();
  await expect(page.getByText(/then cancelled/)).toBeVisible();
});

test('a scenario of one’s own runs, is in the link, and a broken one says where', async ({ page, lab }) => {
  await lab.open();
  const upload = page.locator('input[type=file][accept*=json]');
  await upload.setInputFiles(file('mine.json', JSON.stringify(OWN)));
  await expect(page.getByText('My own link').first()).toBeVisible();
  await lab.run();
  await lab.done();
  const flows = page.getByRole('region', { name: 'Flows' });
  for (const name of ['alice', 'bob', 'download'])
    await expect(flows.getByRole('row', { name: new RegExp(name) })).toBeVisible();
  await expect(page.getByText('Controller of alice')).toBeVisible();
  await page.locator('select[name=flow]').selectOption('bob');
  await expect(page.getByText('Controller of bob')).toBeVisible();
  await flows.getByRole('checkbox', { name: 'Draw download' }).uncheck();
  await expect(page.getByRole('button', { name: /^download/ })).toHaveCount(0);

  const broken = { ...OWN, forward: { ...OWN.forward, queue: 'codel:target=fast' } };
  await upload.setInputFiles(file('broken.json', JSON.stringify(broken)));
  const notices = page.getByLabel('Notices');
  await expect(notices).toContainText('broken.json was not opened');
  await expect(notices).toContainText('forward.queue');
  await expect(notices).toContainText('expected');
  await upload.setInputFiles(file('typo.json', '{"ccscope_scenario": 1,'));
  await expect(notices).toContainText('typo.json was not opened');
  await expect(notices).toContainText('expected JSON');
  await expect(lab.glance('Received')).toBeVisible();

  await expect.poll(() => new URL(page.url()).hash).toMatch(/^#own=/);
  await expect.poll(() => lab.query().get('flow')).toBe('bob');
  await page.reload();
  await lab.done();
  await expect(page.getByText('My own link').first()).toBeVisible();
  await expect(page.getByText('Controller of bob')).toBeVisible();
});

test('a link to an experiment that does not exist says which one was probably meant', async ({
  page,
  lab,
}) => {
  await page.goto(`${lab.served.staticUrl}lab.html?scenario=ton-fg11`);
  const notices = page.getByLabel('Notices');
  await expect(notices).toContainText('scenario: expected the id of a listed experiment, got "ton-fg11"');
  await expect(notices).toContainText('Did you mean ton-fig11?');
});

test('a link to another network of one’s own is followed in the same tab, though only its fragment differs', async ({
  page,
  lab,
}) => {
  await lab.open();
  const upload = page.locator('input[type=file][accept*=json]');
  const links: string[] = [];
  for (const capacity of ['1mbps', '3mbps']) {
    const before = new URL(page.url()).hash;
    await upload.setInputFiles(
      file('own.json', JSON.stringify({ ...OWN, forward: { ...OWN.forward, capacity } })),
    );
    await expect.poll(() => new URL(page.url()).hash).not.toBe(before);
    await lab.done();
    links.push(page.url());
  }
  const [first = ''] = links;
  await page.goto(first);
  await lab.done();
  await expect(page.locator('input[name=capacity]')).toHaveValue('1mbps');
  await expect(page.locator('header .phase')).toHaveText('Done');
});

test('what a paper published stands beside a copy of its experiment, but not beside a changed one', async ({
  page,
  lab,
}) => {
  await lab.open();
  const original = JSON.parse(await readFile('public/scenarios/ton-fig11.json', 'utf8')) as {
    forward: object;
    flows: object[];
  };
  const upload = page.locator('input[type=file][accept*=json]');
  const open = async (name: string, changes: object): Promise<void> => {
    await upload.setInputFiles(file(name, JSON.stringify({ ...original, ...changes })));
    await expect(page.getByText(`from ${name}`)).toBeVisible();
    await lab.done();
    await expect(lab.glance('Utilisation')).toBeVisible();
  };
  const published = page.getByRole('region', { name: 'Published and measured' });
  const differs = page.getByText('The settings differ from those of ton-fig11.');

  const hash = (): string => new URL(page.url()).hash;
  await open('copy.json', { id: 'copy' });
  await expect(published).toBeVisible();
  await expect(differs).toHaveCount(0);
  await expect.poll(hash).toMatch(/^#own=/);
  const hashOfCopy = hash();
  await open('slower.json', { forward: { ...original.forward, one_way_delay_ms: 100 } });
  await expect(published).toHaveCount(0);
  await expect(differs).toBeVisible();
  // A link to the changed copy leads to the same result.
  await expect.poll(hash).not.toBe(hashOfCopy);
  await page.reload();
  await lab.done();
  await expect(differs).toBeVisible();
  await expect(published).toHaveCount(0);
  // A scenario that does not name the paper still counts as a changed copy of ton-fig11.
  await open('unnamed.json', { paper: undefined, source: undefined, duration_s: 50, windows: undefined });
  await expect(differs).toBeVisible();
  await expect(published).toHaveCount(0);

  // A scenario that names the file of a user's own controller still counts as the paper's experiment. But no published
  // values are shown for a run with this controller.
  await open('own.json', {
    flows: original.flows.map((flow) => ({ ...flow, own_controller: 'pasted.mjs' })),
  });
  await expect(published).toBeVisible();
  await page.getByText('+ own controller', { exact: true }).click();
  await page.getByRole('button', { name: 'Example' }).click();
  await page.getByRole('button', { name: 'Use this one' }).click();
  await expect(page.locator('.provenance')).toContainText('own controller pasted.mjs');
  await expect(published).toHaveCount(0);
  await expect(page.getByText(/^pasted\.mjs controls gcc\. What a paper published applies/)).toBeVisible();
});

test('a trace of several flows opens in the Call page, one flow at a time', async ({ page, served }) => {
  const scenario = parseScenario(OWN);
  const { batches } = runCell(await loadCore(), scenario, {}, 1, {
    trace: { tables: ['group', 'rate', 'queue'] },
  });
  const trace = new TraceData();
  for (const batch of batches) trace.append(batch);
  const header = { ccscope_trace: 1 as const, ...traceHeader(scenario, {}, 1) };
  const lastReceived = (flow: number): string => {
    const where = { column: 'flow', value: flow };
    const { columns } = trace.view({ table: 'group', columns: ['received_rate_bps'], where });
    return formatRate(columns['received_rate_bps']?.at(-1) ?? NaN);
  };
  await page.goto(served.staticUrl);
  const content = [...formatTrace(trace, header)].join('');
  await page.locator('input[type=file][accept*=ndjson]').setInputFiles(file('simulated.ndjson', content));
  const received = page.getByRole('button', { name: /^Received/ }).locator('.reading');
  await expect(received).toHaveText(lastReceived(0));
  await page.getByLabel('Flow', { exact: true }).selectOption('bob');
  await expect(received).toHaveText(lastReceived(1));
  expect(lastReceived(0)).not.toBe(lastReceived(1));
});

test('what the address says wrongly is named', async ({ page, lab }) => {
  await lab.open('?scenario=ton-fig11&seed=-3&speed=9&cell.queue=9ms');
  await expect(page.getByLabel('Notices')).toContainText('cell.queue=9ms');
  await expect(page.getByLabel('Notices')).toContainText('seed=-3');
  await expect(page.getByLabel('Notices')).toContainText('speed=9');
  await expect(page.locator('input[name=seed]')).toHaveValue('1');
});

test('the page stays quick while it simulates, and everything on it has a name @measures', async ({
  page,
  lab,
}) => {
  await page.addInitScript(() => {
    const longTasks: number[] = [];
    Object.assign(window, { longTasks });
    new PerformanceObserver((list) => longTasks.push(...list.getEntries().map((e) => e.duration))).observe({
      type: 'longtask',
    });
  });
  await lab.open(`${QUERY}&run=1`);
  await lab.done();
  await page.waitForTimeout(500);
  await page.evaluate(() => ((window as unknown as { longTasks: number[] }).longTasks.length = 0));
  await lab.run();
  await lab.done();
  const longest = await page.evaluate(() =>
    Math.max(0, ...(window as unknown as { longTasks: number[] }).longTasks),
  );
  // The run takes longer than 250 ms. If the run blocked the page, a task on the page would take at least as long. The
  // limit is not lower, because redrawing one chart can take almost 250 ms on a busy machine.
  expect(longest).toBeLessThan(250);
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
