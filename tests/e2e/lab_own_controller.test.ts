/** Users' own controllers in the Lab. */
import { readFile } from 'node:fs/promises';

import { parseScenario } from '../../src/scenario/index.js';
import { test } from './live_lab.js';
import { expect } from './support.js';

test('a controller of one’s own is pasted, runs beside the others, and may fail', async ({ page, lab }) => {
  await lab.begin();
  const flows = lab.panel('Flows');
  await flows.getByText('+ own controller').click();
  await flows.getByRole('button', { name: 'Example' }).click();
  await flows.getByRole('button', { name: 'Add a call with it' }).click();
  await expect(lab.legend('own')).toBeVisible();
  await lab.done();
  await expect(page.getByLabel('Notices')).not.toContainText('failed');
  await expect(flows).toContainText('pasted.mjs controls own');

  const text = flows.getByRole('textbox', { name: 'Paste a module' });
  await text.fill('export default { name: 5 }');
  await flows.getByRole('button', { name: 'Use this one' }).click();
  await expect(page.getByLabel('Notices')).toContainText('default.name: expected a name');
  await text.fill(
    `export default { name: 'thrower', createReceiver: () => ({ onArrival: () => null }),
       createSender: () => ({ onFeedback() {}, rate() { throw new Error('out of order'); } }) };`,
  );
  await flows.getByRole('button', { name: 'Use this one' }).click();
  await expect(page.getByLabel('Notices')).toContainText('out of order');
  await lab.done();
});

test('a controller of one’s own, its replacement and the removal of its flow are undone and redone', async ({
  page,
  lab,
}) => {
  await lab.begin();
  const flows = lab.panel('Flows');
  const [undo, redo] = [
    page.getByRole('button', { name: 'Undo' }),
    page.getByRole('button', { name: 'Redo' }),
  ];
  const text = flows.getByRole('textbox', { name: 'Paste a module' });
  /** Pastes a controller that always requests one rate. The target then shows which controller ran. */
  const paste = async (kbps: number, button: string): Promise<void> => {
    await text.fill(
      `export default { name: 'fixed', createReceiver: () => ({ onArrival: () => null }),
         createSender: () => ({ onFeedback() {}, rate: () => ({ targetBps: ${kbps}e3 }) }) };`,
    );
    await flows.getByRole('button', { name: button }).click();
  };
  const table = page.getByRole('region', { name: 'Flows' });
  const targets = async (kbps: number): Promise<void> => {
    await expect(table.getByRole('row', { name: /^Draw own/ })).toContainText(`${kbps} kbps`);
    await expect(flows).toContainText('pasted.mjs controls own');
    await expect(lab.fact('Controllers')).toContainText('own controller pasted.mjs');
  };
  await flows.getByText('+ own controller').click();
  await paste(300, 'Add a call with it');
  await targets(300);
  await paste(700, 'Use this one');
  await targets(700);
  await undo.click();
  await targets(300);
  await redo.click();
  await targets(700);

  await flows.getByRole('button', { name: 'Remove own', exact: true }).click();
  await expect(lab.legend('own')).toHaveCount(0);
  await undo.click();
  await targets(700);
  await undo.click();
  await targets(300);
  await undo.click();
  await expect(lab.legend('own')).toHaveCount(0);
  await expect(undo).toBeDisabled();
  for (const kbps of [300, 700]) {
    await redo.click();
    await targets(kbps);
  }
  await redo.click();
  await expect(lab.legend('own')).toHaveCount(0);
  await expect(lab.fact('Controllers')).toHaveText('GCC');
  await expect(page.getByLabel('Notices').getByRole('listitem')).toHaveCount(0);
});

test('what leaves the page names a controller of one’s own, and those who open it are told', async ({
  page,
  lab,
}) => {
  await page.goto(`${lab.served.staticUrl}lab.html`);
  await lab.done();
  const flows = lab.panel('Flows');
  await flows.getByText('+ own controller').click();
  await flows.getByRole('button', { name: 'Example' }).click();
  await flows.getByRole('button', { name: 'Add a call with it' }).click();
  await expect(lab.fact('Controllers')).toHaveText(/own controller pasted\.mjs$/);
  await lab.done();
  const notices = page.getByLabel('Notices');
  await expect(notices).not.toContainText("the author's own controller");

  const saved = async (button: string): Promise<string> => {
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('button', { name: button }).click(),
    ]);
    return readFile(await download.path(), 'utf8');
  };
  const [header] = (await saved('Download trace')).split('\n', 1);
  const { flows: traced, ...about } = JSON.parse(header ?? '') as { flows: object[] };
  expect(about).toMatchObject({ core_sha256: expect.stringMatching(/^[0-9a-f]{64}$/) });
  expect(traced.at(-1)).toMatchObject({ name: 'own', controller: 'pasted.mjs' });
  expect(traced.at(-1)).not.toHaveProperty('preset');
  const metrics = JSON.parse(await saved('Download metrics')) as object;
  expect(metrics).toMatchObject({ controller: 'pasted.mjs', ccscope: expect.any(String) });
  const scenario = parseScenario(JSON.parse(await saved('Save as scenario')));
  // The added call has the same parameters as the first call of the experiment, so that the two can be compared.
  const parameters = { max_bitrate_bps: 2e6 };
  expect(scenario.flows.at(-1)).toMatchObject({ own_controller: 'pasted.mjs', parameters });
  expect(scenario.flows[0]).toMatchObject({ parameters });

  await expect(page).toHaveURL(/#own=/);
  await page.reload();
  await expect(notices).toContainText("The flow own ran with the author's own controller, pasted.mjs");
  await expect(notices).toContainText('GCC takes its place.');
  await expect(flows.getByText('gcc in place of pasted.mjs')).toBeVisible();
  await flows.getByText('+ own controller').click();
  await flows.getByRole('button', { name: 'Example' }).click();
  await flows.getByRole('button', { name: 'Use this one' }).click();
  await expect(lab.fact('Controllers')).toHaveText(/own controller pasted\.mjs$/);
  await expect(notices).not.toContainText("the author's own controller");
});

test('TypeScript is refused with what to do', async ({ page, lab }) => {
  await lab.begin();
  const flows = lab.panel('Flows');
  await flows.getByText('+ own controller').click();
  const notices = page.getByLabel('Notices');
  await flows.locator('input[type=file]').setInputFiles({
    name: 'mine.ts',
    mimeType: 'text/plain',
    buffer: Buffer.from('export default {}'),
  });
  await expect(notices).toContainText('ccscope run --controller FILE');
  await flows
    .getByRole('textbox', { name: 'Paste a module' })
    .fill("import type { UserController } from 'ccscope';\nexport default {};");
  await flows.getByRole('button', { name: 'Add a call with it' }).click();
  await expect(notices).toContainText('if it is TypeScript, remove the types');
});

test('a controller that never returns is ended, and the next run works', async ({ page, lab }) => {
  await lab.begin();
  const flows = lab.panel('Flows');
  await flows.getByText('+ own controller').click();
  await flows.getByRole('textbox', { name: 'Paste a module' }).fill(
    `export default { name: 'stuck', createReceiver: () => ({ onArrival() { for (;;); } }),
         createSender: () => ({ onFeedback() {}, rate: () => ({ targetBps: 1e6 }) }) };`,
  );
  await flows.getByRole('button', { name: 'Add a call with it' }).click();
  await expect(page.getByLabel('Notices')).toContainText('did not answer for');
  await page.getByRole('button', { name: 'Undo' }).click();
  await lab.done();
  await expect(lab.glance('Received')).toContainText('bps');
});
