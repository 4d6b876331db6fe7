// Writes the README's tables of presets, parameters and trace rows, which the core declares
// (src/core/schema.generated.ts). `--check` only says whether they are stale.
import { readFileSync, writeFileSync } from 'node:fs';
import { format, resolveConfig } from 'prettier';
import ts from 'typescript';

import { inRoot } from './lib/files.mjs';
import { fail, Problem, say } from './lib/run.mjs';

async function loadSchema() {
  const source = readFileSync(inRoot('src/core/schema.generated.ts'), 'utf8');
  const { outputText } = ts.transpileModule(source, { compilerOptions: { module: ts.ModuleKind.ESNext } });
  return import(`data:text/javascript,${encodeURIComponent(outputText)}`);
}

const escape = (text) => String(text).replaceAll('|', '\\|');

function table(head, rows) {
  const line = (cells) => `| ${cells.map(escape).join(' | ')} |`;
  return [line(head), line(head.map(() => '---')), ...rows.map(line)].join('\n');
}

const code = (text) => `\`${text}\``;

const sections = ({ CONTROLLERS, TABLES }) => ({
  presets: table(
    ['preset', 'is'],
    CONTROLLERS.gcc.presets.map(({ name, description }) => [code(name), description]),
  ),
  parameters: table(
    ['parameter', 'unit', 'default', 'range', 'source', 'meaning'],
    CONTROLLERS.gcc.parameters.map(
      ({ name, unit, default: value, min, max, values, section, description }) => [
        code(name),
        unit,
        values ? values[value] : value,
        values ? values.join(', ') : `${min} to ${max}`,
        section,
        description,
      ],
    ),
  ),
  rows: table(
    ['type', 'is', 'fields'],
    [
      ...TABLES.map(({ name, description, columns }) => [
        code(name),
        description,
        columns.map((column) => code(column.name)).join(', '),
      ]),
      [code('event'), 'what happened besides', ['time_us', 'name', 'detail'].map(code).join(', ')],
    ],
  ),
});

async function generate() {
  const target = inRoot('README.md');
  const current = readFileSync(target, 'utf8');
  let text = current;
  for (const [name, body] of Object.entries(sections(await loadSchema()))) {
    const [begin, end] = [`<!-- generated: ${name} -->`, `<!-- end of ${name} -->`];
    const [before, rest] = text.split(begin);
    const after = rest?.split(end)[1];
    if (after === undefined) throw new Problem(`README.md lacks ${begin} … ${end}.`);
    text = `${before}${begin}\n\n${body}\n\n${end}${after}`;
  }
  const formatted = await format(text, { ...(await resolveConfig(target)), parser: 'markdown' });
  if (formatted === current) return;
  if (process.argv.includes('--check')) {
    throw new Problem('The tables of README.md are stale: run `node scripts/generate_readme.mjs`.');
  }
  writeFileSync(target, formatted);
  say('Wrote the tables of README.md.');
}

await generate().catch(fail);
