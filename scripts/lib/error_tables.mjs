// Makes the tables of errors in documents, from the sources: kinds, codes and messages.
import { posix } from 'node:path';

import { readErrors } from './source_errors.mjs';

/** The folder of the documents. */
const HOME = 'src/text';
/**
 * A message with fewer constant letters than this only passes on the message of another error or of the system,
 * and is left out.
 */
const LEAST_LETTERS = 12;

/**
 * The sections of the messages. A message belongs to the section with the longest folder path that contains the
 * source of the message.
 */
const ROOMS = {
  'Command line': ['src/command_line', 'src/text', 'src/trend', 'src/observe', 'src/evidence'],
  'Settings of a link': ['src/link', 'src/shaper'],
  'The Playwright kit and its judgements': ['src/playwright', 'src/judge', 'src/calls'],
  'Scenarios, experiments and simulations': [
    'src/scenario',
    'src/papers',
    'src/runs',
    'src/worker/simulation',
    'src/twin',
  ],
  'Traces and recordings': ['src/trace', 'src/watch', 'src/worker/trace', 'src/overlay'],
  'Calls of ccscope’s own pages': ['src/rtc', 'src/worker', 'src/app', 'src/charts', 'src/machine'],
  'Actions on calls of others': ['src/inject', 'src/extension', 'src/view'],
  'The element for other pages': ['src/embed'],
  'The local server': ['src/server'],
  'The core': ['src/core', 'wasm'],
};

const words = (text) => text.replaceAll('<', '&lt;').replaceAll('*', '\\*').replaceAll('|', '\\|').trim();
const cell = (text) => text.replaceAll('|', '\\|');
const code = (text) => (text.includes('`') ? `\`\` ${text} \`\`` : `\`${text}\``);
const link = (file) => `[${code(file)}](${posix.relative(HOME, file)})`;
const table = (head, rows) =>
  [head, head.map(() => '---'), ...rows].map((cells) => `| ${cells.join(' | ')} |`).join('\n');
const byName = (a, b) => (a < b ? -1 : a > b ? 1 : 0);
const sentence = (text) =>
  `${text.charAt(0).toUpperCase()}${text.slice(1)}${/[.!?…]$/.test(text) ? '' : '.'}`;
const isSaid = (text) => text.replaceAll(/[….]/g, '').trim() !== '';

const kindTable = (classes) =>
  table(
    ['error', 'is', 'from'],
    classes
      .filter(({ is }) => is !== '')
      .sort((a, b) => byName(a.name, b.name))
      .map(({ name, is, file }) => [code(name), cell(is.replaceAll(/\s+/g, ' ')), link(file)]),
  );

/** Describes how a source reports a code: the severity, the message, and what to do. */
function entry({ level, messages, fixes, file }) {
  const kind = level === undefined ? 'Likely cause' : `Notice (${level})`;
  const said = messages.filter(isSaid).map((text) => `> ${words(sentence(text))}`);
  const todo = fixes.filter(isSaid).map((text) => words(sentence(text)));
  const parts = [
    `${kind}, from ${link(file)}:`,
    said.length === 0 ? '> …' : said.join('\n>\n'),
    todo.length > 0 && `What to do: ${todo.join(' Or: ')}`,
  ];
  return parts.filter(Boolean).join('\n\n');
}

function codeSections(told) {
  const codes = [...new Set(told.map((one) => one.code))].sort(byName);
  return codes
    .map((name) => {
      const entries = told.filter((one) => one.code === name).map(entry);
      return [`### ${name}`, ...new Set(entries)].join('\n\n');
    })
    .join('\n\n');
}

const letters = (text) => text.replaceAll(/expected|got|[^a-z]/gi, '').length;

function messageTables(messages) {
  const roomOf = ({ file }) =>
    Object.entries(ROOMS)
      .flatMap(([room, folders]) => folders.map((folder) => [room, folder]))
      .filter(([, folder]) => file.startsWith(`${folder}/`))
      .sort(([, a], [, b]) => b.length - a.length)[0]?.[0];
  const known = messages.filter(({ text }) => letters(text) >= LEAST_LETTERS);
  const homeless = known.find((one) => roomOf(one) === undefined);
  if (homeless !== undefined) throw new Error(`scripts/lib/error_tables.mjs: ${homeless.file} is in no room`);
  return Object.keys(ROOMS)
    .map((room) => {
      const rows = known
        .filter((one) => roomOf(one) === room)
        .map(({ name, text, file }) => [code(cell(text)), code(name), link(file)]);
      const unique = new Map(rows.map((row) => [row.join(), row]));
      return `## ${room}\n\n${table(['message', 'error', 'from'], [...unique.values()])}`;
    })
    .join('\n\n');
}

/** The tables of errors, by the names that documents use for them. */
export function errorTables() {
  const { classes, messages, notices, causes } = readErrors();
  return {
    'kinds of errors': kindTable(classes),
    codes: codeSections([...notices, ...causes]),
    messages: messageTables(messages),
  };
}
