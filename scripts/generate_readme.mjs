// Writes the table NAME into documents after each line `<!-- generated: NAME -->`. Presets, parameters and trace
// rows come from the core's declarations (src/core/schema.generated.ts). Metrics, experiments, settings of a
// link, lessons and the options of all commands come from the declarations in the sources. Errors, with their codes
// and messages, are collected from the sources. After each line `<!-- file: PATH -->`, the text of that file is
// inserted. `--check` only reports whether documents are stale.
import { readFileSync, writeFileSync } from 'node:fs';
import { extname, relative } from 'node:path';
import { format, resolveConfig } from 'prettier';
import ts from 'typescript';

import { documentRooms } from './build.mjs';
import { errorTables } from './lib/error_tables.mjs';
import { filesUnder, inRoot, root } from './lib/files.mjs';
import { fail, Problem, say } from './lib/run.mjs';
import { importLessons, importSource as load } from './lib/sources.mjs';

async function loadSchema() {
  const source = readFileSync(inRoot('src/core/schema.generated.ts'), 'utf8');
  const { outputText } = ts.transpileModule(source, { compilerOptions: { module: ts.ModuleKind.ESNext } });
  return import(`data:text/javascript,${encodeURIComponent(outputText)}`);
}

/** The experiments of the registry, and the metrics. */
async function loadScenarios() {
  const { readScenario, registryIds } = await load('src/command_line/scenarios.ts');
  const { cellsOf, METRICS } = await load('src/scenario/index.ts');
  const experiments = registryIds().map((id) => {
    const scenario = readScenario(id);
    const { title, paper, source, runs = 1, duration_s, decided_after_results: decided = [] } = scenario;
    return { id, title, paper, source, cells: cellsOf(scenario).length, runs, duration_s, decided };
  });
  return { experiments, metrics: [...METRICS.values()] };
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
    parameters.map(({ name, unit, default: value, min, max, values, whole, section, description }) => [
      code(name),
      unit,
      values ? values[value] : value,
      values ? values.join(', ') : `${min} to ${max}${whole ? ', whole' : ''}`,
      section,
      description,
    ]),
  );

/** A table of the values that a component's presets set. A preset that sets no value has no column. */
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

const sections = ({ CONTROLLERS, COMPONENTS, TABLES, TABLE_DESCRIPTIONS }) => ({
  rows: table(
    ['type', 'is', 'fields'],
    [
      ...TABLES.map(({ name, columns }) => [
        code(name),
        TABLE_DESCRIPTIONS[name],
        columns.map((column) => code(column.name)).join(', '),
      ]),
      [code('event'), 'what happened besides', ['time_us', 'name', 'detail'].map(code).join(', ')],
    ],
  ),
  ...Object.fromEntries(
    Object.entries({ ...CONTROLLERS, ...COMPONENTS }).flatMap(([name, component]) => [
      [`parameters of ${name}`, parameterTable(component.parameters)],
      [`presets of ${name}`, presetTable(component.presets)],
      [`preset values of ${name}`, presetValueTable(component)],
    ]),
  ),
});

const STATISTIC = /_(mean|sd|min|max|p5|p25|p50|p75|p95|p99)_ms$/;

/** Writes a rate as `768 kbps` or `1.6 Mbps`. */
const rate = (bps) => (bps < 1e6 ? `${bps / 1e3} kbps` : `${bps / 1e6} Mbps`);

/** The properties of a network besides capacity, RTT and queue, as text. */
function besides({ forward: { loss, burstLoss, jitter, outage } }) {
  const parts = [
    loss > 0 && `${100 * loss} % loss in runs of ${burstLoss}`,
    jitter > 0 && `jitter ${jitter} ms`,
    outage !== 'none' && `outages ${outage}`,
  ];
  return parts.filter(Boolean).join(', ');
}

/** A table of all lessons, with each lesson's title, question, address and choices. */
async function lessonTable() {
  const rows = (await importLessons()).map(({ id, title, question, scenario }) => {
    const choices = scenario.axes[0].values.map(({ name }) => code(name)).join(', ');
    return [`${title}: ${question}`, code(`lessons.html?lesson=${id}`), choices];
  });
  return table(['lesson', 'address', 'choices'], rows);
}

/** Every command with its options and the other text of its `--help`. */
async function commandPages() {
  const { createProgram } = await load('src/command_line/program.ts');
  const program = createProgram();
  return program.commands.map(commandPage).join('\n\n');
}

function commandPage(command) {
  const help = command.createHelp();
  const words = (text) => text.replaceAll('<', '&lt;').replaceAll('*', '\\*');
  const rows = (pairs) => pairs.map(([term, is]) => [code(term), words(is)]);
  const args = help.visibleArguments(command);
  const options = help.visibleOptions(command).filter(({ long }) => long !== '--help');
  const parts = [
    `## ccscope ${command.name()}`,
    `${command.description()}.`.replace(/^./, (letter) => letter.toUpperCase()),
    `\`\`\`text\nccscope ${command.name()} ${command.usage()}\n\`\`\``,
    args.length > 0 &&
      table(
        ['argument', 'is'],
        rows(args.map((one) => [help.argumentTerm(one), help.argumentDescription(one)])),
      ),
    table(['option', 'is'], rows(options.map((one) => [help.optionTerm(one), help.optionDescription(one)]))),
    notesOf(command),
  ];
  return parts.filter(Boolean).join('\n\n');
}

/** The text that follows the options in a command's help. */
function notesOf(command) {
  let text = '';
  command.configureOutput({ writeOut: (part) => (text += part) });
  const before = command.helpInformation();
  command.outputHelp();
  const notes = text.slice(before.length).trim();
  return notes && `\`\`\`text\n${notes}\n\`\`\``;
}

/** The settings of a test's link: the settings that every link has, and two that only the test kit has. */
async function settingsTable() {
  const { LINK_FIELDS } = await load('src/link/fields.ts');
  const { LINK_WORDS, usualText } = await load('src/link/words.ts');
  const besides = [
    [code('network'), '', 'one of the [networks](#networks); other settings override its'],
    [code('backward'), '', 'what is different on the way back'],
  ];
  const more = {
    capacity:
      "; a number is bit/s; also a trace of mahimahi's, `{ mahimahi }` with its path or text, or bit/s as a function of seconds",
    queue: '; see [Queues](#queues)',
    rtt: '; a number is milliseconds',
    jitter: '; a number is milliseconds',
    crossTraffic: '; simulated in real time against the real packets, forward alone: `backward` has its own',
    seed: '; only at the beginning',
  };
  const fields = Object.entries(LINK_FIELDS).map(([key, { setting }]) => [
    code(setting),
    code(usualText(key)),
    `${LINK_WORDS[key].is}${more[setting] ?? ''}`,
  ]);
  const [network, backward] = besides;
  return table(['setting', 'default', 'is'], [network, ...fields, backward]);
}

/** The predefined networks that a test's link can imitate. */
async function networkTable() {
  const { NETWORKS } = await load('src/link/networks.ts');
  const rows = Object.entries(NETWORKS).map(([name, one]) => [
    code(name),
    `${rate(one.forward.capacity)} / ${rate(one.backward.capacity)}`,
    `${one.rtt} ms`,
    code(one.forward.queue),
    besides(one),
    one.source,
  ]);
  return table(['network', 'up / down', 'RTT', 'queue', 'besides', 'from'], rows);
}

/** The rows of the table of metrics. All statistics of a distribution share one row. */
function metricRows(metrics) {
  const rows = metrics.map(({ name, unit, description }) => {
    const [suffix, statistic] = name.match(STATISTIC) ?? [];
    if (suffix === undefined) return [code(name), unit, description];
    return [code(name.replace(suffix, '_…_ms')), unit, description.replace(`${statistic} of `, '')];
  });
  return [...new Map(rows.map((row) => [row[0], row])).values()];
}

/**
 * A list of all choices that were made after results were known, each with the experiments that declare the choice.
 */
function decisions(experiments) {
  const made = new Map();
  for (const { id, decided } of experiments)
    for (const choice of decided) made.set(choice, [...(made.get(choice) ?? []), code(id)]);
  return [...made].map(([choice, ids]) => `- ${ids.join(', ')}: ${choice}`).join('\n');
}

const scenarioSections = ({ experiments, metrics }) => ({
  experiments: table(
    ['id', 'is', 'from', 'cells', 'runs', 'simulated s'],
    experiments.map(({ id, title, paper, source, cells, runs, duration_s }) => [
      `[${code(id)}](../../public/scenarios/${id}.json)`,
      title,
      `${paper}, ${source}`,
      cells,
      runs,
      duration_s,
    ]),
  ),
  decided: decisions(experiments),
  metrics: table(['metric', 'unit', 'is'], metricRows(metrics)),
});

/**
 * Writes the formatted text to the file. With `--check`, writes nothing, and throws Problem if the file differs.
 */
async function update(target, text) {
  const file = relative(root, target);
  const formatted = await format(text, { ...(await resolveConfig(target)), filepath: target });
  if (readFileSync(target, 'utf8') === formatted) return;
  if (process.argv.includes('--check')) {
    throw new Problem(`${file} is stale: run \`node scripts/generate_readme.mjs\`.`);
  }
  writeFileSync(target, formatted);
  say(`Wrote ${file}.`);
}

const LANGUAGES = { '.ts': 'ts', '.c': 'c' };

/**
 * Inserts the named file after each line `<!-- file: PATH -->` of a document. The examples are separate files
 * so that tests can run them.
 */
function withFiles(text) {
  return text.replaceAll(/^<!-- file: (.+?) -->([^]*?)^<!-- end of \1 -->/gm, (_, path) => {
    const shown = readFileSync(inRoot(path), 'utf8').trimEnd();
    return `<!-- file: ${path} -->\n\n\`\`\`${LANGUAGES[extname(path)]}\n${shown}\n\`\`\`\n\n<!-- end of ${path} -->`;
  });
}

/** The text of a document, with all files and tables inserted. */
function withTables(text, tables, file) {
  return withFiles(text).replaceAll(/^<!-- generated: (.+?) -->([^]*?)^<!-- end of \1 -->/gm, (_, name) => {
    if (tables[name] === undefined) throw new Problem(`${file}: there is no table ${name}.`);
    return `<!-- generated: ${name} -->\n\n${tables[name]}\n\n<!-- end of ${name} -->`;
  });
}

/** Returns the document's text with up-to-date tables. Throws Problem if the end marker of a table is missing. */
function document(target, tables) {
  const file = relative(root, target);
  const current = readFileSync(target, 'utf8');
  const begins = current.match(/^<!-- generated: /gm)?.length ?? 0;
  const pairs = current.match(/^<!-- generated: (.+?) -->[^]*?^<!-- end of \1 -->/gm)?.length ?? 0;
  if (begins !== pairs)
    throw new Problem(`${file}: a <!-- generated: NAME --> lacks its <!-- end of NAME -->.`);
  return withTables(current, tables, file);
}

async function generate() {
  const scenarios = await loadScenarios();
  const networks = await networkTable();
  const settings = await settingsTable();
  const lessons = await lessonTable();
  const commands = await commandPages();
  const own = { networks, settings, lessons, commands, ...errorTables() };
  const tables = { ...sections(await loadSchema()), ...scenarioSections(scenarios), ...own };
  for (const target of filesUnder(documentRooms, (file) => file.endsWith('.md'))) {
    await update(target, document(target, tables));
  }
}

await generate().catch(fail);
