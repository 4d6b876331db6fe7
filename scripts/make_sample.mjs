// Makes the trace that the Call page plays before a call. It is a simulated call, reduced to the rows and columns
// that the charts draw. If one of these columns changes, run this again: node scripts/make_sample.mjs
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { inRoot } from './lib/files.mjs';

/** The columns that the charts of rates, delay, detector, controller and loss read. */
const COLUMNS = {
  rate: ['time_us', 'flow', 'a_r_bps', 'a_s_bps', 'target_bps', 'sent_bps', 'fraction_lost', 'rtt_us'],
  group: [
    'time_us',
    'flow',
    'delay_variation_ms',
    'm_ms',
    'gamma_ms',
    'detector_input_ms',
    'signal',
    'state',
    'received_rate_bps',
  ],
  queue: ['time_us', 'link', 'queue_delay_us', 'capacity_bps', 'drops'],
};
/** For each table, a number n: only every nth row is kept. A chart of half a minute cannot show more detail. */
const EVERY = { rate: 1, group: 6, queue: 1 };

const scenario = {
  ccscope_scenario: 1,
  id: 'sample',
  title: 'A call whose capacity falls and comes back',
  description: 'What the Call page plays before a call.',
  paper: 'none',
  source: 'ccscope',
  rate_interval_ms: 200,
  duration_s: 70,
  forward: {
    capacity: '1mbps,0.5mbps@24s,1.2mbps@44s',
    queue: 'droptail:300ms',
    one_way_delay_ms: 25,
    jitter_ms: 2,
  },
  backward: { one_way_delay_ms: 25 },
  flows: [{ kind: 'media', name: 'call', preset: 'gcc' }],
};

const number = (value) => (typeof value === 'number' ? Number(value.toPrecision(3)) : value);
const seen = { rate: 0, group: 0, queue: 0 };
let signal = 'normal';

/**
 * Whether a row is kept. Besides every nth row of each table (see `EVERY`), all rows are kept in which the
 * detector's signal changes.
 */
function isKept(row) {
  const isTurn = seen[row.type]++ % EVERY[row.type] === 0;
  const isChange = row.type === 'group' && row.signal !== signal;
  if (isChange) signal = row.signal;
  return isTurn || isChange;
}

function thinned(line) {
  const row = JSON.parse(line);
  const names = COLUMNS[row.type];
  if (names === undefined || row.flow > 0 || row.link > 0 || !isKept(row)) return [];
  const cells = names
    .filter((name) => row[name] !== undefined)
    .map((name) => [name, name === 'time_us' ? 1000 * Math.round(row[name] / 1000) : number(row[name])]);
  return [JSON.stringify({ type: row.type, ...Object.fromEntries(cells) })];
}

const folder = mkdtempSync(join(tmpdir(), 'ccscope-sample-'));
try {
  const [file, trace] = [join(folder, 'sample.json'), join(folder, 'trace.ndjson')];
  writeFileSync(file, JSON.stringify(scenario));
  execFileSync(process.execPath, [inRoot('scripts/ccscope.mjs'), 'run', file, '--trace', trace], {
    stdio: 'inherit',
  });
  const lines = readFileSync(trace, 'utf8').trim().split('\n');
  const header = {
    ccscope_trace: 1,
    source: 'simulator',
    clock: 'simulator',
    controller: 'gcc',
    preset: 'gcc',
  };
  const rows = lines.slice(1).flatMap(thinned);
  writeFileSync(inRoot('public/sample/call.ndjson'), `${[JSON.stringify(header), ...rows].join('\n')}\n`);
} finally {
  rmSync(folder, { recursive: true });
}
