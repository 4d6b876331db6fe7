// `npm run fuzz`: runs a campaign of all fuzz targets, and prints one table of the results.
//
//   npm run fuzz -- [--minutes N] [--executions N] [--only TARGET,TARGET …] [--jobs N] [--seed N]
//   npm run fuzz -- --list                                  lists the targets
//   npm run fuzz -- --merge [--only TARGET …]               adds new inputs to tests/fuzz/corpus/, and minimises it
//   npm run fuzz -- --keep FILE --only TARGET --name WHAT   adds to the corpus an input that caused a fault
import { availableParallelism } from 'node:os';
import { parseArgs } from 'node:util';

import { SingleBar } from 'cli-progress';

import { buildFuzzer, targetNames } from './fuzz/build.mjs';
import { keepFault, mergeCorpus } from './fuzz/corpus.mjs';
import { fuzzNative } from './fuzz/native.mjs';
import { fuzzParsers, parserNames } from './fuzz/parsers.mjs';
import { fail, Problem, say } from './lib/run.mjs';
import { setup } from './setup.mjs';

function readOptions() {
  const text = { type: 'string' };
  const { values } = parseArgs({
    options: {
      ...{ minutes: text, executions: text, only: text, jobs: text, seed: text, keep: text, name: text },
      ...{ merge: { type: 'boolean' }, list: { type: 'boolean' } },
    },
  });
  const number = (name, otherwise) => {
    if (values[name] === undefined) return otherwise;
    const value = Number(values[name]);
    if (!(value > 0)) throw new Problem(`--${name}: expected a number above 0, not ${values[name]}.`);
    return value;
  };
  const executions = number('executions', Infinity);
  return {
    ...values,
    executions,
    minutes: number('minutes', Number.isFinite(executions) ? 24 * 60 : 10),
    jobs: Math.ceil(number('jobs', availableParallelism())),
    seed: Math.ceil(number('seed', 1 + (Date.now() % 1e6))),
    only: values.only?.split(',').filter(Boolean),
  };
}

/** Shows the progress: a bar on a terminal, otherwise a line every half minute. */
function progressOf(minutes) {
  const executions = new Map();
  const began = performance.now();
  const what = () => {
    const sum = [...executions.values()].reduce((a, b) => a + b, 0);
    return `${sum.toLocaleString('en')} executions of ${executions.size} targets`;
  };
  const passed = () => (performance.now() - began) / 60e3;
  const bar = process.stderr.isTTY
    ? new SingleBar({ format: '{bar} {percentage} %  {what}', clearOnComplete: true, stream: process.stderr })
    : undefined;
  bar?.start(minutes, 0, { what: what() });
  const show = () =>
    bar
      ? bar.update(Math.min(minutes, passed()), { what: what() })
      : say(`${passed().toFixed(1)} min: ${what()}`);
  const timer = setInterval(show, bar ? 500 : 30e3);
  return {
    onProgress: ({ target, executions: count, fault }) =>
      fault === undefined ? executions.set(target, count) : say(`${target}: ${fault.split('\n')[0]}`),
    done: () => (clearInterval(timer), bar?.stop()),
  };
}

function printTable(rows) {
  const columns = ['target', 'executions', 'edges', 'faults found', 'faults open'];
  const total = (key) => rows.reduce((sum, row) => sum + row[key], 0);
  const cells = [
    columns,
    ...[
      ...rows,
      {
        target: 'all',
        executions: total('executions'),
        edges: null,
        found: total('found'),
        open: total('open'),
      },
    ].map(({ target, executions, edges, found, open }) => [
      target,
      executions.toLocaleString('en'),
      edges === null ? '' : String(edges),
      String(found),
      String(open),
    ]),
  ];
  const widths = columns.map((_, i) => Math.max(...cells.map((row) => row[i].length)));
  for (const row of cells) {
    console.log(
      row.map((cell, i) => (i === 0 ? cell.padEnd(widths[i]) : cell.padStart(widths[i]))).join('  '),
    );
  }
}

/**
 * Runs the campaigns of the native targets and of the parsers, one after the other. Each campaign gets a share of
 * the time in proportion to its number of targets.
 */
async function campaign({ minutes, executions, only, jobs, seed }) {
  const isWanted = (name) => only === undefined || only.includes(name);
  const sides = [
    { fuzz: fuzzNative, names: targetNames().filter(isWanted) },
    { fuzz: fuzzParsers, names: (await parserNames()).filter(isWanted) },
  ].filter(({ names }) => names.length > 0);
  const targets = sides.reduce((sum, { names }) => sum + names.length, 0);
  const progress = progressOf(minutes);
  const rows = [];
  try {
    for (const { fuzz, names } of sides) {
      rows.push(
        ...(await fuzz({
          minutes: (minutes * names.length) / targets,
          executions,
          only: names,
          jobs,
          seed,
          onProgress: progress.onProgress,
        })),
      );
    }
  } finally {
    progress.done();
  }
  return rows;
}

async function main() {
  const options = readOptions();
  await setup({ fuzzer: true });
  const all = [...targetNames(), ...(await parserNames())];
  const unknown = options.only?.filter((name) => !all.includes(name)) ?? [];
  if (unknown.length > 0)
    throw new Problem(`--only: no target ${unknown.join(', ')}; expected ${all.join(', ')}.`);
  const targets = targetNames().filter((name) => !options.only || options.only.includes(name));
  if (options.list) return console.log(all.join('\n'));
  if (options.keep) {
    if (options.only?.length !== 1 || targets.length !== 1 || !options.name) {
      throw new Problem('--keep: expected one target in --only, and what the input shows in --name.');
    }
    return keepFault(targets[0], options.keep, options.name);
  }
  if (options.merge) {
    const binary = await buildFuzzer();
    for (const target of targets) {
      const { inputs, faults } = await mergeCorpus(binary, target);
      say(`${target}: ${inputs} inputs, and ${faults} that were faults`);
    }
    return;
  }
  say(`Fuzzing with --seed ${options.seed} …`);
  const rows = await campaign(options);
  printTable(rows);
  const total = rows.reduce((sum, row) => sum + (row.total ?? 0), 0);
  if (total > 0)
    say(`Native targets, over all campaigns in build/fuzz: ${total.toLocaleString('en')} executions.`);
  const open = rows.reduce((sum, row) => sum + row.open, 0);
  if (open > 0) {
    say(
      'Inputs that caused faults are in build/fuzz/artifacts/; tests/fuzz/README.md says what to do with one.',
    );
    process.exitCode = 1;
  }
}

await main().catch(fail);
