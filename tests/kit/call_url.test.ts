/** `ccscope call --url`: pages that were not written for ccscope, driven from the command line. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

import { expect, test } from '@playwright/test';

import type { CallReport } from '../../src/command_line/call/types.js';
import { startServer } from '../../src/server/server.js';
import { withoutProgress } from '../support/progress_lines.js';
import { startTestServer, type TestServer } from './server.js';

const cli = fileURLToPath(new URL('../../dist/lib/command_line/cli.js', import.meta.url));
const appDir = fileURLToPath(new URL('../../dist/app', import.meta.url));

async function call(args: readonly string[]): Promise<{ status: unknown; stdout: string; stderr: string }> {
  const child = spawn(process.execPath, [cli, 'call', ...args], { stdio: ['ignore', 'pipe', 'pipe'] });
  let [stdout, stderr] = ['', ''];
  child.stdout.on('data', (text: Buffer) => (stdout += text.toString()));
  child.stderr.on('data', (text: Buffer) => (stderr += text.toString()));
  const [status] = (await once(child, 'close')) as unknown[];
  return { status, stdout, stderr: withoutProgress(stderr) };
}

let server: TestServer;
test.beforeAll(async () => {
  server = await startTestServer();
});
test.afterAll(() => server.close());

test('two pages with simple-peer: report, chart and a trace that replays', async ({}, info) => {
  const side = (name: string) => `${server.url}/simple_peer.html?side=${name}`;
  const [trace, html] = [info.outputPath('call.ndjson'), info.outputPath('call.html')];
  const link = ['--capacity', '600kbps', '--queue', 'codel', '--rtt', '40ms', '--duration', '8s'];
  const files = ['--trace', trace, '--html', html, '--json', '-'];
  const { status, stdout, stderr } = await call(['--url', side('a'), '--url', side('b'), ...link, ...files]);
  expect(stderr).toBe('');
  expect(status).toBe(0);
  const report = JSON.parse(stdout) as CallReport;
  expect(report).toMatchObject({
    controller: 'native',
    mode: 'observe',
    urls: [side('a'), side('b')],
    link: { capacity: '600kbps', queue: 'codel', rtt_ms: 40 },
  });
  const [run] = report.runs;
  // A serial link carries no more than its capacity, except for a packet that straddles the start of the time
  // window.
  expect(run?.utilisation).toBeLessThan(1.01);
  expect(run?.utilisation).toBeGreaterThan(0.3);
  expect(run?.fps).toBeGreaterThan(3);
  expect(run?.cross_utilisation).toBe(0);
  // The observer's worker and the shaper measure their own lateness. The number of frames that the pages
  // meant to send is unknown, so source_frames_ratio is null.
  expect(run?.machine).toMatchObject({ source_frames_ratio: null });
  expect(run?.machine.shaper_late_p95_ms).toBeGreaterThanOrEqual(0);
  expect(run?.machine.callbacks_late_ms).toBeGreaterThanOrEqual(0);
  expect(run?.shadows).toMatchObject([{ controller: 'gcc' }]);
  expect(readFileSync(html, 'utf8')).toContain('/simple_peer.html');
  const lines = readFileSync(trace, 'utf8').trim().split('\n');
  const rows = lines.slice(1).map((line) => JSON.parse(line) as { type: string });
  expect(JSON.parse(lines[0] ?? '')).toMatchObject({ ccscope_trace: 1, frame_source: 'transform' });
  for (const type of ['arrival', 'group', 'rate', 'queue'])
    expect(
      rows.some((row) => row.type === type),
      type,
    ).toBe(true);
});

test('two calls beside each other: what each received of the link', async () => {
  const app = await startServer({ appDir });
  try {
    const page = `${app.url}?autostart=1&bottleneck=in-page&capacity=100mbps&rtt_ms=0&mode=control`;
    const link = ['--capacity', '1mbps', '--rtt', '40ms', '--duration', '9s'];
    const { status, stdout } = await call(['--url', page, '--url', page, ...link, '--json', '-']);
    expect(status).toBe(0);
    const [run] = (JSON.parse(stdout) as CallReport).runs;
    const received = (run?.shares?.received_bps ?? []).map(Number);
    expect(received).toHaveLength(2);
    const sum = received.reduce((total, rate) => total + rate, 0);
    const squares = received.reduce((total, rate) => total + rate * rate, 0);
    for (const rate of received) expect(rate).toBeGreaterThan(30e3);
    expect(sum / 1e6).toBeCloseTo(run?.utilisation ?? NaN, 1);
    expect(run?.shares?.jain).toBeCloseTo((sum * sum) / (2 * squares), 9);
  } finally {
    await app.close();
  }
});

test('what cannot be called ends with status 1 and the remedy', async () => {
  const gone = await call(['--url', 'http://127.0.0.1:9/', '--duration', '3s']);
  expect(gone).toMatchObject({ status: 1, stdout: '' });
  expect(gone.stderr).toMatch(/did not load .*check that its server is running/);
  const selector = await call([
    '--url',
    `${server.url}/plain.html?side=z`,
    '--click',
    '#none',
    '--duration',
    '3s',
  ]);
  expect(selector).toMatchObject({ status: 1 });
  expect(selector.stderr).toMatch(/--click #none: nothing could be clicked.*check that the selector matches/);
});
