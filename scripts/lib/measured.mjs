// Writes tables of measurements into the documents that they belong to.
import { readFileSync, writeFileSync } from 'node:fs';
import { format, resolveConfig } from 'prettier';

import { Problem } from './run.mjs';

const line = (cells) => `| ${cells.join(' | ')} |`;

/** A table in Markdown. */
export const tableText = ({ head, rows }) =>
  [line(head), line(head.map(() => '---')), ...rows.map(line)].join('\n');

/**
 * Inserts a table into a document, and a paragraph that describes the measurement. Both are put between `<!-- NAME
 * -->` and `<!-- end NAME -->`. Throws Problem if the document does not contain these two comments.
 */
export async function writeMeasured(document, name, { facts, ...table }) {
  const [before, rest] = readFileSync(document, 'utf8').split(`<!-- ${name} -->`);
  const after = rest?.split(`<!-- end ${name} -->`)[1];
  if (after === undefined)
    throw new Problem(`${document} has no place between <!-- ${name} --> and its end.`);
  const text = `${before}<!-- ${name} -->\n\n${facts}\n\n${tableText(table)}\n\n<!-- end ${name} -->${after}`;
  writeFileSync(document, await format(text, { ...(await resolveConfig(document)), parser: 'markdown' }));
}
