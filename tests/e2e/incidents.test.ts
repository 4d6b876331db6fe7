/** A recording of calls of other pages, opened in the app, explains why the calls got worse. */
import { accessibilityFaults } from '../support/axe.js';
import { expect, test } from './support.js';

const cause = (kind: string) => ({ kind, evidence: `${kind} was seen.`, fix: 'Do this.' });
const incident = (timeS: number, stream: string, kind: string) => ({
  ...{ type: 'event', time_us: timeS * 1e6, name: 'incident' },
  detail: {
    ...{ kind: 'rate-fall', endpoint: 0, direction: 'send', stream, connection: 0 },
    ...{ from_us: timeS * 1e6, to_us: null, before_bps: 1e6, after_bps: 3e5, cause: cause(kind) },
  },
});

/** A recording of one minute: the given rows, and a row of the table `queue` every 100 ms. */
function recording(source: string, rows: readonly object[]): Buffer {
  const header = {
    ...{ ccscope_trace: 1, created: '2026-11-01T00:00:00Z', source, clock: 'receiver', controller: 'gcc' },
    ...{ origin_epoch_ms: 0, flows: [{ flow: 0, name: 'page 1 → page 2, video 1' }] },
  };
  const queue = Array.from({ length: 600 }, (_, i) => ({
    ...{ type: 'queue', link: 0, time_us: i * 1e5, queue_delay_us: 0, queue_bytes: 0 },
    ...{ capacity_bps: 1e6, drops: 0, delivered_bytes: i * 1e4 },
  }));
  return Buffer.from([header, ...queue, ...rows].map((row) => `${JSON.stringify(row)}\n`).join(''));
}

test('lists its incidents, those of one event together, and leads to their moments', async ({
  page,
  served,
}) => {
  const rows = [
    incident(20, 'page 1 sends video', 'overuse'),
    incident(21, 'page 2 receives video', 'overuse'),
    incident(40, 'page 1 sends video', 'cap'),
  ];
  await page.goto(served.url);
  const input = page.locator('input[type=file][accept*=ndjson]');
  const file = { name: 'call.ndjson', mimeType: 'application/x-ndjson' };
  await input.setInputFiles({ ...file, buffer: recording('test', rows) });
  const lines = page.getByRole('list', { name: 'Incidents' }).getByRole('listitem');
  await expect(lines).toHaveCount(2);
  await expect(lines.first()).toContainText('page 1 sends video: rate fell from 1 Mbps to 300 kbps');
  await expect(lines.first()).toContainText('overuse: overuse was seen. To do: Do this.');
  await expect(lines.first()).toContainText('Also: page 2 receives video: rate fell');
  await expect(page.getByRole('button', { name: 'Compare with the simulation' })).toBeDisabled();
  await expect(page.getByText('ccscope call --trace FILE` without --url')).toBeVisible();
  await lines.last().getByRole('button').click();
  await expect(page.getByText(/cursor held at 40 s/)).toBeVisible();
  expect(await accessibilityFaults(page)).toEqual([]);

  await input.setInputFiles({ ...file, buffer: recording('test', []) });
  await expect(page.getByText('nothing froze in this recording')).toBeVisible();
  await input.setInputFiles({ ...file, buffer: recording('call', []) });
  await expect(page.getByText('Why it got worse')).toHaveCount(0);
});

test('the search in a recording ends when another one is opened', async ({ page, served }) => {
  // The first search gets no answer, because the test does not pass its message on to the worker.
  await page.addInitScript(() => {
    const searches: { isEnded: boolean }[] = [];
    Object.assign(window, { searches });
    window.Worker = class extends Worker {
      readonly #search: { isEnded: boolean } | undefined;
      #isAsked = true;

      constructor(url: string | URL, options?: WorkerOptions) {
        super(url, options);
        if (!/\/worker-[^/]*$/.test(String(url))) return;
        this.#isAsked = searches.length > 0;
        this.#search = { isEnded: false };
        searches.push(this.#search);
      }

      override postMessage(...message: [unknown]): void {
        if (this.#isAsked) super.postMessage(...message);
      }

      override terminate(): void {
        if (this.#search) this.#search.isEnded = true;
        super.terminate();
      }
    };
  });
  const searches = (): Promise<{ isEnded: boolean }[]> =>
    page.evaluate(() => (window as unknown as { searches: { isEnded: boolean }[] }).searches);
  await page.goto(served.url);
  const input = page.locator('input[type=file][accept*=ndjson]');
  const open = (name: string, rows: readonly object[]): Promise<void> =>
    input.setInputFiles({ name, mimeType: 'application/x-ndjson', buffer: recording('test', rows) });
  await open('first.ndjson', [incident(20, 'page 1 sends video', 'overuse')]);
  await expect.poll(searches).toEqual([{ isEnded: false }]);
  await open('second.ndjson', [incident(40, 'page 1 sends video', 'cap')]);
  const lines = page.getByRole('list', { name: 'Incidents' }).getByRole('listitem');
  await expect(lines).toHaveCount(1);
  await expect(lines).toContainText('cap was seen.');
  expect(await searches()).toEqual([{ isEnded: true }, { isEnded: true }]);
});
