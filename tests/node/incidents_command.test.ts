/**
 * In a recording, `ccscope incidents` must find the same incidents and causes that were found during the
 * call.
 */
import { beforeAll, expect, test } from 'vitest';

import { loadCore, type Core } from '../../src/core/index.js';
import type { PageMessage } from '../../src/inject/protocol.js';
import { Watch } from '../../src/watch/index.js';
import { outbound, sample } from '../unit/judge/synthetic.js';
import { ccscope, scratch } from './support.js';

const { path, write } = scratch();
const FALL_S = 15;

let core: Core;
beforeAll(async () => {
  core = await loadCore();
});

/** A watch of a page that sends at 1 Mbps and then caps its sender at 300 kbps. */
async function watched(): Promise<Watch> {
  const watch = new Watch({ originEpochMs: 0, load: () => Promise.resolve(core) });
  const begin: PageMessage[] = [
    { type: 'endpoint', endpoint: 0, timeUs: 0 },
    { type: 'state', endpoint: 0, timeUs: 0, state: 'connected' },
  ];
  let bytesSent = 0;
  for (let timeS = 0; timeS <= 30; timeS += 0.5) {
    const isCapped = timeS > FALL_S;
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
  expect(stdout).toContain('15.5 s  connection 0 sends');
  expect(stdout).toContain(`rate fell from 1 Mbps to 300 kbps`);
  expect(stdout).toContain(`cap: ${live?.cause.evidence}`);
  expect(stdout).toContain(`To do: ${live?.cause.fix}`);
  const json = await ccscope(['incidents', file, '--json', '-']);
  const { incidents } = JSON.parse(json.stdout) as { incidents: unknown[] };
  expect(incidents).toEqual([JSON.parse(JSON.stringify(live))]);
  watch.close();
});

test('refuses what is no recording of a call', async () => {
  const header =
    '{"ccscope_trace":1,"created":"2026-11-01T00:00:00Z","source":"simulator","clock":"virtual"}';
  const other = await ccscope(['incidents', write('other.ndjson', `${header}\n`)]);
  expect(other.stderr).toContain('source: expected a recording');
  expect(other.status).toBe(2);
  const missing = await ccscope(['incidents', path('missing.ndjson')]);
  expect(missing.stderr).toContain('no such file');
  expect(missing.status).toBe(2);
});
