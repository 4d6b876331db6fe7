// `npm run measure:chrome`: measures Chrome's own congestion control in real calls, through every queue discipline,
// alone and in competition with TCP CUBIC. Writes the table of src/playwright/chrome.md.
//
//   npm run measure:chrome -- [--runs N] [--duration 30s] [--capacity 2mbps] [--rtt 50ms]
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { arch, cpus } from 'node:os';
import { parseArgs } from 'node:util';

import { build } from './build.mjs';
import { inRoot } from './lib/files.mjs';
import { writeMeasured } from './lib/measured.mjs';
import { fail, Problem, say } from './lib/run.mjs';
import { setup } from './setup.mjs';

const document = inRoot('src/playwright/chrome.md');
const queues = ['droptail:300ms', 'codel', 'pie', 'sfq', 'fq_codel'];
const tcpFlows = [0, 1, 3];

/** Runs `ccscope call` and returns its report: real calls under the browser's own controller. */
async function call(args) {
  const child = spawn(
    process.execPath,
    [inRoot('dist/lib/command_line/cli.js'), 'call', ...args, '--json', '-'],
    {
      stdio: ['ignore', 'pipe', 'inherit'],
    },
  );
  let text = '';
  child.stdout.on('data', (chunk) => (text += chunk));
  const [code] = await once(child, 'close');
  if (code !== 0) throw new Problem(`ccscope call ${args.join(' ')} ended with ${code}.`);
  return JSON.parse(text);
}

const shown = (value, digits) => (value === null ? '–' : value.toFixed(digits));
const spread = ({ median, min, max }, digits, scale = 1) => {
  const [m, lo, hi] = [median, min, max].map((value) => (value === null ? null : value * scale));
  return `${shown(m, digits)} (${shown(lo, digits)}–${shown(hi, digits)})`;
};

function row(queue, flows, { summary }) {
  const percent = (key, digits = 0) => spread(summary[key], digits, 100);
  return [
    flows === 0 ? `\`${queue}\`` : '',
    flows === 0 ? 'none' : String(flows),
    percent('utilisation'),
    flows === 0 ? '–' : percent('cross_utilisation'),
    `${shown(summary.utilisation.median * (flows + 1), 2)}`,
    spread(summary.queue_delay_p50_ms, 0),
    spread(summary.queue_delay_p95_ms, 0),
    percent('loss_ratio', 1),
    spread(summary.longest_freeze_s, 1),
  ];
}

const head = [
  'queue',
  'CUBIC flows',
  'of the call, %',
  'of TCP, %',
  'of its fair share',
  'queuing p50, ms',
  'queuing p95, ms',
  'loss, %',
  'longest freeze, s',
];

async function measure() {
  const text = (value) => ({ type: 'string', default: value });
  const { values } = parseArgs({
    options: { runs: text('2'), duration: text('30s'), capacity: text('2mbps'), rtt: text('50ms') },
  });
  const { runs, duration, capacity, rtt } = values;
  await setup({ chromium: true });
  await build();
  const rows = [];
  let browser = '';
  for (const queue of queues) {
    for (const flows of tcpFlows) {
      const cross = flows === 0 ? 'none' : `cubic:${flows}`;
      say(`${rows.length + 1} of ${queues.length * tcpFlows.length}: ${queue}, cross traffic ${cross} …`);
      const link = ['--capacity', capacity, '--rtt', rtt, '--queue', queue, '--cross-traffic', cross];
      const report = await call(['--controller', 'native', ...link, '--duration', duration, '--runs', runs]);
      browser = report.browser;
      rows.push(row(queue, flows, report));
    }
  }
  const facts = `${browser}, ${process.platform} ${arch()}, ${cpus().length} cores. ${capacity}, RTT ${rtt}, ${runs} runs of ${duration} a row: median (smallest–largest).`;
  await writeMeasured(document, 'measured', { facts, head, rows });
  say('src/playwright/chrome.md is written.');
}

await measure().catch(fail);
