/** The page of a call's evidence, opened as a file. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';

import type { EvidenceCharts } from '../../src/calls/evidence_page.js';
import { standalonePage } from '../../src/html/document.js';
import { html } from '../../src/html/text.js';
import { expect, test } from './support.js';

const DURATION_US = 300e6;
const ROWS = 9000;
/** Each of these rows contains its own number as m(t). */
const rows = Array.from({ length: ROWS }, (_, row) => row);
const group = {
  time_us: rows.map((row) => (row * DURATION_US) / ROWS),
  ...Object.fromEntries(
    ['delay_variation_ms', 'detector_input_ms', 'gamma_ms', 'signal'].map((name) => [
      name,
      rows.map(() => 0),
    ]),
  ),
  m_ms: rows,
};
const charts: EvidenceCharts = {
  durationUs: DURATION_US,
  directions: [
    {
      name: 'forward',
      label: 'from the offerer to the answerer',
      tables: { group },
      flows: [],
      receivers: [],
      queueDelayMs: null,
      reasons: [],
      delaysAreEstimates: false,
    },
  ],
  marks: [],
  lanes: [],
  spans: [],
  freezes: [],
};

test('the values at the cursor are those of the last row before it, at any width', async ({ page }) => {
  const folder = mkdtempSync(join(tmpdir(), 'ccscope-'));
  const file = join(folder, 'page.html');
  const main = html`<button data-time-us="150050000">150.05 s</button>
    <div class="sheet"></div>`;
  const data = { id: 'charts', value: charts };
  writeFileSync(file, standalonePage({ name: 'evidence', title: 'T', meta: '', main, data }));
  for (const width of [1280, 390]) {
    await page.setViewportSize({ width, height: 800 });
    await page.goto(pathToFileURL(file).href);
    await page.getByRole('button', { name: '150.05 s' }).click();
    // Row 4501 is at 150.033 s.
    await expect(page.locator('button[data-series=m] b')).toHaveText('4501 ms');
  }
  rmSync(folder, { recursive: true });
});
