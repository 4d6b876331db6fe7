// Writes the tables of presets, parameters and trace rows, which the core declares
// (src/core/schema.generated.ts), into the README and into the documents of the simulator's components
// (wasm/sim), wherever a line `<!-- generated: NAME -->` asks for one. `--check` only says whether they
// are stale.
import { readFileSync, writeFileSync } from 'node:fs';
import { relative } from 'node:path';
import { format, resolveConfig } from 'prettier';
import ts from 'typescript';

import { filesUnder, inRoot, root } from './lib/files.mjs';
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

const presetTable = (presets) =>
  table(
    ['preset', 'is'],
    presets.map(({ name, description }) => [code(name), description]),
  );

const parameterTable = (parameters) =>
  table(
    ['parameter', 'unit', 'default', 'range', 'source', 'meaning'],
    parameters.map(({ name, unit, default: value, min, max, values, section, description }) => [
      code(name),
      unit,
      values ? values[value] : value,
      values ? values.join(', ') : `${min} to ${max}`,
      section,
      description,
    ]),
  );

/** What a component's preset sets, one column per preset that sets anything. */
function presetValueTable({ parameters, presets }) {
  const setting = presets.filter(({ values }) => Object.keys(values).length > 0);
  const shown = ({ values: names }, value) => (value === undefined ? '' : names ? names[value] : value);
  return table(
    ['parameter', ...setting.map(({ name }) => code(name))],
    parameters
      .filter(({ name }) => setting.some(({ values }) => name in values))
      .map((spec) => [code(spec.name), ...setting.map(({ values }) => shown(spec, values[spec.name]))]),
  );
}

const sections = ({ CONTROLLERS, COMPONENTS, TABLES }) => ({
  presets: presetTable(CONTROLLERS.gcc.presets),
  parameters: parameterTable(CONTROLLERS.gcc.parameters),
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
  ...Object.fromEntries(
    Object.entries(COMPONENTS).flatMap(([name, component]) => [
      [`parameters of ${name}`, parameterTable(component.parameters)],
      [`presets of ${name}`, presetTable(component.presets)],
      [`preset values of ${name}`, presetValueTable(component)],
    ]),
  ),
});

/** The text with every table that it asks for. */
function withTables(text, tables, file) {
  return text.replaceAll(/<!-- generated: (.+?) -->([^]*?)<!-- end of \1 -->/g, (_, name) => {
    if (tables[name] === undefined) throw new Problem(`${file}: there is no table ${name}.`);
    return `<!-- generated: ${name} -->\n\n${tables[name]}\n\n<!-- end of ${name} -->`;
  });
}

async function generate() {
  const tables = sections(await loadSchema());
  for (const target of filesUnder(['README.md', 'wasm/sim'], (file) => file.endsWith('.md'))) {
    const file = relative(root, target);
    const current = readFileSync(target, 'utf8');
    const begins = current.match(/<!-- generated: /g)?.length ?? 0;
    const pairs = current.match(/<!-- generated: (.+?) -->[^]*?<!-- end of \1 -->/g)?.length ?? 0;
    if (begins !== pairs)
      throw new Problem(`${file}: a <!-- generated: NAME --> lacks its <!-- end of NAME -->.`);
    const options = { ...(await resolveConfig(target)), parser: 'markdown' };
    const formatted = await format(withTables(current, tables, file), options);
    if (formatted === current) continue;
    if (process.argv.includes('--check')) {
      throw new Problem(`The tables of ${file} are stale: run \`node scripts/generate_readme.mjs\`.`);
    }
    writeFileSync(target, formatted);
    say(`Wrote the tables of ${file}.`);
  }
}

await generate().catch(fail);
