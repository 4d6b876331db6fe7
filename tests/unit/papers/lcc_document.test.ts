import { readFileSync } from 'node:fs';

import { expect, it } from 'vitest';

/** The cells of the rows of a table that contain all of these texts. */
const rowsWith = (document: string, ...texts: string[]): string[][] =>
  document
    .split('\n')
    .filter((line) => line.startsWith('|') && texts.every((text) => line.includes(text)))
    .map((line) => line.split('|').map((cell) => cell.trim()));

it('the document of LCC gives the delays and the use of the link that were measured with repeated packets', () => {
  const mechanisms = readFileSync('src/papers/mechanisms.md', 'utf8');
  const lcc = readFileSync('wasm/cc/lcc/lcc.md', 'utf8');
  const [, section = ''] = /\n## Random loss\n([\s\S]*?)\n## /.exec(lcc) ?? [];
  const tried = rowsWith(mechanisms, 'lcc-table1', 'controller=lcc', 'flows.media.source.nack=1');
  const mean = (cell = ''): string => cell.replace(/ ±.*/, '');
  const delays = tried.filter((cells) => cells.some((cell) => cell.includes('owd_queue_delay_mean_ms')));
  expect(delays).toHaveLength(3);
  expect(section).toContain(`28.9, ${delays.map((cells) => mean(cells.at(-2))).join(', ')} ms (means`);
  expect(section).toContain(`28.9, ${delays.map((cells) => mean(cells.at(-3))).join(', ')} ms.`);
  const [used] = tried.filter((cells) => cells.some((cell) => cell.includes('utilisation')));
  expect(section).toContain(`, ${mean(used?.at(-2))} % and`);
  expect(section).toContain('papers/mechanisms.md');
});
