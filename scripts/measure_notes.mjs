// `npm run measure:notes`: checks the notes of the papers' scenarios. A note explains a result that lies outside its
// band (the accepted range), by comparing it with runs under other settings. This script repeats these runs,
// with the scenario's number of runs, and writes the table of src/papers/mechanisms.md.
//
//   npm run measure:notes -- [--runs N] [ID...]
//
// If IDs of experiments or a number of runs are given, it only prints the table.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { parseArgs } from 'node:util';

import { build } from './build.mjs';
import { inRoot } from './lib/files.mjs';
import { tableText, writeMeasured } from './lib/measured.mjs';
import { fail, Problem, say } from './lib/run.mjs';
import { setup } from './setup.mjs';

const share = { name: 'fair_share_ratio', window: 'shared' };
const cubic = (queue, capacity) => ({ tcp: 'cubic', queue, capacity });
const largerPayload = ['flows.gcc.source.payload_bytes=1400'];
const packets = (limit) => [`forward.queue=droptail:${limit}p`];
const lessPacing = 'flows.gcc.parameters.pacing_factor=2.5';
const repeated = ['flows.media.source.nack=1'];
const tenMbps = ['parameters', 'source'].map((part) => `flows.gcc.${part}.max_bitrate_bps=10000000`);

/**
 * The runs that the notes mention: `cells` selects cells of the experiment `id`; `quantity` is the metric that the
 * note gives. Each entry of `settings` is tried separately. `other` is a further metric that the note mentions; it is
 * measured in the runs without these settings.
 */
const tried = [
  {
    ...{ id: 'ton-fig12', cells: cubic('150ms', '1mbps'), quantity: share },
    settings: [largerPayload, packets(12), [...packets(12), lessPacing]],
  },
  {
    ...{ id: 'ton-fig12', cells: cubic('150ms', '2mbps'), quantity: share },
    settings: [largerPayload, packets(25), [...packets(25), lessPacing]],
  },
  {
    ...{ id: 'ton-fig12', cells: cubic('350ms', '1mbps'), quantity: share },
    settings: [largerPayload, packets(29), ['flows.gcc.source.fragments=1']],
  },
  {
    ...{ id: 'ton-fig12', cells: cubic('700ms', '1mbps'), quantity: share },
    settings: [['flows.gcc.source.fragments=1']],
  },
  {
    ...{ id: 'ton-fig12', cells: cubic('350ms', '3mbps'), quantity: share },
    settings: [largerPayload, packets(87)],
  },
  {
    ...{ id: 'ton-fig8', cells: { threshold: 'static' }, quantity: share },
    settings: [5, 7, 15, 20, 30, 52].map((ms) => [`flows.gcc.parameters.gamma_init_ms=${ms}`]),
  },
  {
    ...{ id: 'ton-fig8', cells: { threshold: 'adaptive' }, quantity: share },
    settings: [largerPayload, ['flows.gcc.source.fragments=1'], [lessPacing], ['forward.burst_bytes=5000']],
  },
  { id: 'ton-fig10', cells: {}, quantity: { name: 'utilisation' }, settings: [['forward.burst_bytes=5000']] },
  {
    ...{ id: 'ton-fig11', cells: { capacity: '0.5mbps', queue: '350ms' }, quantity: { name: 'utilisation' } },
    settings: [['forward.burst_bytes=5000'], ['forward.burst_bytes=1540']],
  },
  {
    ...{ id: 'ton-fig11', cells: { capacity: '2mbps' }, quantity: { name: 'probe_queue_delay_p50_ms' } },
    settings: [['forward.burst_bytes=1540']],
  },
  {
    ...{ id: 'cmp-table2', cells: { controller: ['gcc', 'nada'] }, settings: [] },
    ...{ quantity: { name: 'utilisation', flow: '*', window: 'three' }, other: { name: 'path_utilisation' } },
  },
  {
    ...{ id: 'lcc-table1', cells: { controller: 'lcc', loss: ['2', '5', '10'] }, settings: [repeated] },
    quantity: { name: 'owd_queue_delay_mean_ms' },
  },
  {
    ...{ id: 'lcc-table1', cells: { controller: ['gcc', 'lcc'], loss: '10' }, settings: [repeated] },
    quantity: { name: 'utilisation' },
  },
  {
    ...{ id: 'grp-throughput', cells: { trace: 'fast' }, settings: [tenMbps] },
    quantity: { name: 'utilisation' },
  },
];

const { values: flags, positionals: only } = parseArgs({
  options: { runs: { type: 'string' } },
  allowPositionals: true,
});

const runsOf = (id) =>
  flags.runs ?? String(JSON.parse(readFileSync(inRoot(`public/scenarios/${id}.json`), 'utf8')).runs);

/**
 * Runs these cells with `ccscope run`. Returns the cells of its JSON report, and the versions of ccscope and the core.
 */
async function cellsOf({ id, cells }, settings) {
  const chosen = Object.entries(cells).flatMap(([axis, values]) =>
    [values].flat().flatMap((value) => ['--cell', `${axis}=${value}`]),
  );
  const args = ['run', id, '--runs', runsOf(id), ...chosen, ...settings.flatMap((each) => ['--set', each])];
  say(`ccscope ${args.join(' ')}`);
  const cli = inRoot('dist/lib/command_line/cli.js');
  const child = spawn(process.execPath, [cli, ...args, '--json', '-'], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const chunks = [];
  child.stdout.on('data', (chunk) => chunks.push(chunk));
  const [code] = await once(child, 'close');
  if (code !== 0) throw new Problem(`ccscope ${args.join(' ')} ended with ${code}.`);
  const { experiments, ccscope, core_sha256: core } = JSON.parse(Buffer.concat(chunks).toString());
  return { cells: experiments[0].cells, ccscope, core };
}

/** Runs functions at the same time, as many as there are processor cores, and resolves with their results in order. */
async function together(functions) {
  const results = [];
  const waiting = functions.entries();
  const worker = async () => {
    for (const [index, run] of waiting) results[index] = await run();
  };
  await Promise.all(Array.from({ length: availableParallelism() }, worker));
  return results;
}

const code = (text) => `\`${text}\``;
const quantityText = ({ name, flow, window }) => code([name, flow, window].filter(Boolean).join(' '));

try {
  await setup();
  await build();
  const { intervalText, publishedText } = await import('../dist/lib/papers/text.js');
  const wanted = tried.filter(({ id }) => only.length === 0 || only.includes(id));
  if (wanted.length === 0)
    throw new Problem(
      `No notes of ${only.join(', ')} are measured here. Name some of ${[...new Set(tried.map(({ id }) => id))].join(', ')}.`,
    );
  const results = await together(
    wanted.flatMap((what) => [[], ...what.settings].map((settings) => () => cellsOf(what, settings))),
  );
  const [{ ccscope, core }] = results;
  const find = (cell, { name, flow, window }) =>
    cell.metrics.find((each) => each.name === name && each.flow === flow && each.window === window);
  const valueText = (cell, quantity) => {
    const metric = find(cell, quantity);
    return metric === undefined ? '–' : intervalText(metric.name, metric.measured);
  };
  const rows = wanted.flatMap((what) => {
    const { id, quantity, other, settings } = what;
    const [without, ...changed] = results.splice(0, 1 + settings.length);
    return without.cells.flatMap((cell, index) => {
      const metric = find(cell, quantity);
      if (metric === undefined) return [];
      const cellText = Object.entries(cell.params).map(([axis, value]) => code(`${axis}=${value}`));
      const published = metric.published === undefined ? '–' : publishedText(metric);
      const about = [[id, ...cellText].join(', '), quantityText(quantity), published];
      const before = valueText(cell, quantity);
      return [
        ...(other === undefined ? [] : [[...about, quantityText(other), before, valueText(cell, other)]]),
        ...changed.map(({ cells }, i) => [
          ...about,
          settings[i].map(code).join(', '),
          before,
          valueText(cells[index], quantity),
        ]),
      ];
    });
  });
  const table = {
    facts: `Measured with ccscope ${ccscope}, core ${core.slice(0, 12)}.`,
    head: ['experiment, cell', 'quantity', 'published', 'setting, or other quantity', 'without', 'with'],
    rows,
  };
  process.stdout.write(`${tableText(table)}\n`);
  if (only.length === 0 && flags.runs === undefined)
    await writeMeasured(inRoot('src/papers/mechanisms.md'), 'the notes, measured', table);
} catch (error) {
  fail(error);
}
