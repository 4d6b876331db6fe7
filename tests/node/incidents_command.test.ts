/**
 * In a recording, `ccscope incidents` must find the same incidents and causes that were found during the
 * call.
 */
import { beforeAll, expect, test } from 'vitest';

import { loadCore, type Core } from '../../src/core/index.js';
import type { PageMessage } from '../../src/inject/protocol.js';
import { Watch } from '../../src/watch/index.js';
import { pageReport } from '../../src/command_line/call/page_report.js';
import { measure, traceLines } from '../../src/evidence/index.js';
import { metricsJson } from '../../src/evidence/metrics.js';
import { syntheticCall } from '../unit/evidence/synthetic_record.js';
import { outbound, sample } from '../unit/judge/synthetic.js';
import { ccscope, scratch } from './support.js';

const { path, write } = scratch();
const FALL_S = 15;

let core: Core;
beforeAll(async () => {
  core = await loadCore();
});

/**
 * The analysis (Watch) of a page that sends at 1 Mbps. Unless `steady` is set, the page caps its sender at
 * 300 kbps after FALL_S.
 */
async function watched(steady = false): Promise<Watch> {
  const watch = new Watch({ originEpochMs: 0, load: () => Promise.resolve(core) });
  const begin: PageMessage[] = [
    { type: 'endpoint', endpoint: 0, timeUs: 0 },
    { type: 'state', endpoint: 0, timeUs: 0, state: 'connected' },
  ];
  let bytesSent = 0;
  for (let timeS = 0; timeS <= 30; timeS += 0.5) {
    const isCapped = !steady && timeS > FALL_S;
    bytesSent += (isCapped ? 300e3 : 1e6) / 16;
    const stats = outbound({
      ...{ bytesSent, packetsSent: bytesSent / 1200, framesEncoded: 30 * timeS, sourceFrames: 30 * timeS },
      ...{ targetBps: isCapped ? 300e3 : 1e6, maxBitrateBps: isCapped ? 300e3 : NaN },
      ...{ roundTripTimeS: 0.05, reportTimeUs: timeS * 1e6 },
    });
    const told = sample(timeS, { rttS: 0.05, bytesReceived: timeS * 1e4, outbound: [stats] });
    const messages: PageMessage[] = [
      ...(timeS === 0 ? begin : []),
      { type: 'sample', endpoint: 0, sample: told },
    ];
    watch.hear({ window: 'w', url: '', timeUs: timeS * 1e6, messages }, { page: 0, place: 'page' });
    await watch.settled();
  }
  return watch;
}

test('names what the live view named, with its numbers and what to do', async () => {
  const watch = await watched();
  const { before, after } = watch.export({ identifiers: true });
  const file = write('recording.ndjson', before + [...after].join(''));
  const [live] = watch.state.incidents;
  expect(live?.cause.kind).toBe('cap');
  const { status, stdout, stderr } = await ccscope(['incidents', file]);
  expect([status, stderr]).toEqual([0, '']);
  expect(stdout).toContain('15.5 s  connection 1 sends video: ');
  expect(stdout).toContain(`rate fell from 1 Mbps to 300 kbps`);
  expect(stdout).toContain(`cap: ${live?.cause.evidence}`);
  expect(stdout).toContain(`To do: ${live?.cause.fix}`);
  const json = await ccscope(['incidents', file, '--json', '-']);
  const { incidents } = JSON.parse(json.stdout) as { incidents: unknown[] };
  expect(incidents).toMatchObject([
    { kind: 'rate-fall', endpoint: 0, direction: 'send', connection: 0, stream: 'connection 1 sends video' },
  ]);
  expect(incidents).toMatchObject([{ from_us: live?.fromUs, cause: live?.cause }]);
  watch.close();
});

test('says how much it looked at if nothing got worse', async () => {
  const watch = await watched(true);
  const { before, after } = watch.export({ identifiers: false });
  const { stdout } = await ccscope(['incidents', write('good.ndjson', before + [...after].join(''))]);
  expect(stdout).toBe('Nothing got worse in 30 s, in 1 video stream at 1 end of connections.\n');
  watch.close();
});

test('tells the incidents in the recording of a test, those of one event together', async () => {
  const record = await syntheticCall();
  const made = { judged: [], title: 'a call', outcome: null, error: '', created: new Date(0) };
  const input = { record, metrics: measure(record), ...made };
  const file = write('call.ndjson', `${[...traceLines(input)].join('\n')}\n`);
  const { status, stdout, stderr } = await ccscope(['incidents', file]);
  expect([status, stderr]).toEqual([0, '']);
  const [first] = input.metrics.incidents;
  expect(stdout).toContain(`s  ${first?.who}: `);
  expect(stdout).toContain(`${first?.cause.kind}: ${first?.cause.evidence}`);
  expect(stdout).toContain(`To do: ${first?.cause.fix}`);
  expect(stdout).toMatch(/Also: page \d (sends|receives) video: /);
});

test('--json has the incidents in the form of the other files of a call', async () => {
  const record = await syntheticCall();
  const metrics = measure(record);
  const made = { judged: [], title: 'a call', outcome: null, error: '', created: new Date(0) };
  const input = { record, metrics, ...made };
  const file = write('same.ndjson', `${[...traceLines(input)].join('\n')}\n`);
  const report = pageReport(input, { fromUs: 0, toUs: 30e6 }, false);
  const { stdout } = await ccscope(['incidents', file, '--json', '-']);
  const { incidents } = JSON.parse(stdout) as { incidents: unknown[] };
  expect(incidents).not.toEqual([]);
  expect(incidents).toEqual(JSON.parse(JSON.stringify(report.incidents)));
  expect(incidents).toEqual(JSON.parse(JSON.stringify(metricsJson(input)['incidents'])));
});

test('a report says if each of several pages makes a call with itself', async () => {
  const record = await syntheticCall();
  const noticesOf = (): string[] =>
    pageReport({ record, metrics: measure(record) }, { fromUs: 0, toUs: 30e6 }, false).notices;
  expect(noticesOf().filter((notice) => notice.includes('--pages 1'))).toEqual([]);
  const [connection] = record.connections;
  const [a, b] = record.endpoints;
  if (!connection || !a || !b) throw new Error('the call has no connection');
  // Copies of the two ends stand for a second page. Each page now has both ends of a connection.
  const second = [a, b].map((endpoint) => ({ ...endpoint, id: endpoint.id + 10, page: 1 }));
  b.page = a.page = 0;
  record.endpoints.push(...second);
  record.connections.push({ id: 9, offerer: a.id + 10, answerer: b.id + 10, flows: [] });
  expect(noticesOf()).toContain(
    'warning: Each of the 2 pages makes a call with itself, so these calls share the link. To do: to measure one call, give one --url, with --pages 1.',
  );
});

test.each([
  ['heard', 'time_us: null', '{"type":"heard","time_us":null,"page":0,"url":""}'],
  ['stats', 'outbound: nothing', '{"type":"stats","endpoint":0,"time_us":1}'],
  ['stats', 'time_us: "1"', '{"type":"stats","endpoint":0,"time_us":"1","outbound":[],"inbound":[]}'],
  ['stats', 'inbound.0: null', '{"type":"stats","endpoint":0,"time_us":1,"outbound":[],"inbound":[null]}'],
  ['remote', 'ufrags: nothing', '{"type":"remote","endpoint":0}'],
  ['local', 'ufrags: nothing', '{"type":"local","endpoint":0}'],
  ['frames', 'rows: nothing', '{"type":"frames","endpoint":0}'],
  ['endpoint', 'place: nothing', '{"type":"endpoint","endpoint":0,"time_us":0,"page":0}'],
  ['notice', 'notice: nothing', '{"type":"notice","endpoint":0}'],
  ['action', 'result: nothing', '{"type":"action","endpoint":0,"action":{"target":{}}}'],
])('names a damaged line: %s, %s', async (type, got, damaged) => {
  const watch = await watched();
  const { before, after } = watch.export({ identifiers: false });
  watch.close();
  const lines = (before + [...after].join('')).trimEnd().split('\n');
  // The damaged line stands in the middle of a recording in which something got worse.
  const at = lines.findLastIndex((line) => line.startsWith('{"type":"stats"'));
  const text = [...lines.slice(0, at), damaged, ...lines.slice(at)].join('\n');
  const { status, stdout, stderr } = await ccscope(['incidents', write('damaged.ndjson', text)]);
  expect([status, stdout]).toEqual([2, '']);
  const expected = 'a complete line of this type, as ccscope writes it';
  expect(stderr).toContain(`damaged.ndjson:${at + 1}: ${type}: expected ${expected}, got ${got}\n`);
  expect(stderr.trimEnd()).not.toContain('\n');
});

test('refuses what is no recording of a call', async () => {
  const header =
    '{"ccscope_trace":1,"created":"2026-11-01T00:00:00Z","source":"simulator","clock":"virtual"}';
  const other = await ccscope(['incidents', write('other.ndjson', `${header}\n`)]);
  expect(other.stderr).toContain('incidents cannot be found in this recording: it comes from a simulation');
  expect(other.status).toBe(2);
  const page = '{"ccscope_trace":1,"source":"inject","origin_epoch_ms":0,"flows":[]}';
  const deep = `{"type":"state","endpoint":0,"state":${'['.repeat(20_000)}${']'.repeat(20_000)}}`;
  const nested = await ccscope(['incidents', write('nested.ndjson', `${page}\n${deep}\n`)]);
  expect(nested.stderr).toMatch(
    /nested\.ndjson:2: state: expected lists and objects nested at most 64 levels/,
  );
  expect(nested.status).toBe(2);
  const ofTest = '{"ccscope_trace":1,"source":"test"}';
  const without = '{"type":"event","time_us":5,"name":"connection_state"}';
  const bare = await ccscope(['incidents', write('bare.ndjson', `${ofTest}\n${without}\n`)]);
  expect(bare.stderr).toContain('bare.ndjson: the recording contains no connection');
  expect(bare.status).toBe(1);
  const missing = await ccscope(['incidents', path('missing.ndjson')]);
  expect(missing.stderr).toContain('no such file');
  expect(missing.status).toBe(2);
});
