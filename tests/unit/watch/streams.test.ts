/** Streams that come and go during a call, and the loss-based controller that watches a sent stream. */
import { beforeAll, expect, it } from 'vitest';

import { loadCore, type Core } from '../../../src/core/index.js';
import { NO_LAYER } from '../../../src/inject/protocol.js';
import type { InboundStats, OutboundStats, PageMessage } from '../../../src/inject/protocol.js';
import { recordOfTrace, Watch } from '../../../src/watch/index.js';
import { inbound, outbound, sample } from '../judge/synthetic.js';

let core: Core;
beforeAll(async () => {
  core = await loadCore();
});

interface Look {
  inbound?: readonly Partial<InboundStats>[];
  outbound?: readonly Partial<OutboundStats>[];
  messages?: readonly PageMessage[];
}

/** A watch of one connection, which is sampled every half second. */
async function watched(seconds: number, at: (timeS: number) => Look): Promise<Watch> {
  const watch = new Watch({ originEpochMs: 0, load: () => Promise.resolve(core) });
  const begin: PageMessage[] = [
    { type: 'endpoint', endpoint: 0, timeUs: 0 },
    { type: 'state', endpoint: 0, timeUs: 0, state: 'connected' },
  ];
  for (let timeS = 0; timeS <= seconds; timeS += 0.5) {
    const look = at(timeS);
    const told = sample(timeS, {
      rttS: 0.05,
      inbound: (look.inbound ?? []).map((stats) => inbound(stats)),
      outbound: (look.outbound ?? []).map((stats) => outbound(stats)),
    });
    const messages: PageMessage[] = [
      ...(timeS === 0 ? begin : []),
      { type: 'sample', endpoint: 0, sample: told },
      ...(look.messages ?? []),
    ];
    watch.hear(
      { window: 'w', url: 'https://example.org/', timeUs: timeS * 1e6, messages },
      { page: 0, place: 'page' },
    );
    await watch.settled();
  }
  return watch;
}

/** The values of A_s for the first stream, in bit/s. */
function a_sOf(watch: Watch): Float64Array {
  const where = { column: 'flow', value: watch.state.streams[0]?.flow ?? NaN };
  const { a_s_bps = new Float64Array() } = watch.view({ table: 'rate', columns: ['a_s_bps'], where }).columns;
  return a_s_bps;
}

/** The byte counter of a stream at 1 Mbps. */
const bytesAt = (timeS: number): number => timeS * 125_000;

it('a stream that getStats name no longer stands still, and is gone after ten seconds', async () => {
  const LEAVES_S = 5;
  const call = (seconds: number) =>
    watched(seconds, (timeS) => ({
      inbound: [
        { ssrc: 1, bytesReceived: bytesAt(timeS) },
        ...(timeS <= LEAVES_S ? [{ ssrc: 2, bytesReceived: bytesAt(timeS) }] : []),
      ],
    }));
  const soon = await call(LEAVES_S + 1);
  expect(soon.state.streams.map(({ ssrc, isLive }) => [ssrc, isLive])).toEqual([
    [1, true],
    [2, false],
  ]);
  expect(soon.state.streams[1]?.rateBps).toBe(0);
  const later = await call(LEAVES_S + 12);
  expect(later.state.streams.map(({ ssrc }) => ssrc)).toEqual([1]);
});

it('a report that the browser gives twice leaves the rate as it is', async () => {
  const watch = await watched(5, (timeS) => ({ inbound: [{ ssrc: 1, bytesReceived: bytesAt(timeS) }] }));
  const before = watch.state.streams[0]?.rateBps;
  expect(before).toBeCloseTo(1e6, -3);
  const again = sample(5, { inbound: [inbound({ ssrc: 1, bytesReceived: bytesAt(5) })] });
  const messages: PageMessage[] = [{ type: 'sample', endpoint: 0, sample: again }];
  watch.hear({ window: 'w', url: '', timeUs: 5.1e6, messages }, { page: 0, place: 'page' });
  expect(watch.state.streams[0]?.rateBps).toBe(before);
  watch.close();
});

it('the layers of which frames come are those of the last two seconds (webrtc-svc)', async () => {
  const GOES_S = 5;
  const modeAfter = async (seconds: number, told: (index: number) => number): Promise<string | undefined> => {
    const watch = await watched(seconds, (timeS) => {
      const spatial = timeS < GOES_S ? [0, 1, 2] : [0, 1];
      const temporal = Math.round(timeS * 2) % 2;
      const rows = spatial.flatMap((index) => [
        ...[1, Math.round(timeS * 90_000), timeS * 1e6, 4000, 0],
        ...[told(index), told(temporal)],
      ]);
      return {
        inbound: [{ ssrc: 1, bytesReceived: bytesAt(timeS) }],
        messages: [{ type: 'frames', endpoint: 0, rows }],
      };
    });
    watch.close();
    return watch.state.streams[0]?.scalabilityMode;
  };
  const asTold = (index: number): number => index;
  expect(await modeAfter(GOES_S, asTold)).toBe('L3T2');
  expect(await modeAfter(GOES_S + 1, asTold)).toBe('L3T2');
  expect(await modeAfter(GOES_S + 3, asTold)).toBe('L2T2');
  expect(await modeAfter(GOES_S, () => NO_LAYER)).toBe('');
  // A page may report any value, including impossible ones.
  for (const absurd of [1e9, 0.5, NaN, -7]) expect(await modeAfter(GOES_S, () => absurd)).toBe('');
});

it('a hundred participants who come and go leave nothing', async () => {
  const STAYS_S = 2;
  const watch = await watched(200, (timeS) => {
    const ssrc = 1 + Math.floor(timeS / STAYS_S);
    const timeUs = timeS * 1e6;
    const frame = [ssrc, Math.round(timeS * 90_000), timeUs, 4000, 0, NO_LAYER, NO_LAYER];
    return {
      inbound: [{ ssrc, bytesReceived: bytesAt(timeS % STAYS_S) }],
      messages: [{ type: 'frames', endpoint: 0, rows: frame }],
    };
  });
  expect(watch.record.shadows.length).toBeGreaterThan(90);
  // Streams that ended more than ten seconds ago have been removed, so about six are left.
  expect(watch.state.streams.length).toBeLessThanOrEqual(8);
  watch.close();
});

it('beside what is sent A_s holds while nothing is lost, and falls by half the loss (ToN eq. 14)', async () => {
  const lastA_s = async (lossRatio: number): Promise<number> => {
    const watch = await watched(20, (timeS) => {
      const packetsSent = Math.round(timeS * 100);
      return {
        outbound: [
          {
            ...{ mid: '0', bytesSent: bytesAt(timeS), packetsSent },
            packetsLost: Math.round(packetsSent * lossRatio),
          },
        ],
      };
    });
    const last = a_sOf(watch).at(-1) ?? NaN;
    watch.close();
    return last;
  };
  const free = await lastA_s(0);
  expect(free).toBeGreaterThan(1e6);
  // A_s (the loss-based rate) is limited to 1.5 times the sending rate, which a controller that only watches
  // cannot raise.
  expect(free).toBeLessThanOrEqual(1.5e6);
  expect(await lastA_s(0.2)).toBeLessThan(0.5e6);
});

it('an action is in the recording, and read back, without the words that name encodings', async () => {
  const target = { endpoint: 0, direction: 'send', mid: 'camera of Alice', ssrc: 11 } as const;
  const encoding = 'alice-high';
  const inForce = [{ kind: 'cap', encoding, maxBitrateBps: 3e5 }] as const;
  const message: PageMessage = {
    ...{ type: 'action', endpoint: 0, timeUs: 1e6 },
    action: { kind: 'cap', target, encoding, maxBitrateBps: 3e5 },
    result: { ok: true, message: 'Encoding alice-high is capped at 300 kbps.', inForce: [...inForce] },
  };
  const watch = await watched(2, (timeS) => ({ messages: timeS === 1 ? [message] : [] }));
  const textOf = (identifiers: boolean): string => {
    const { before, after } = watch.export({ identifiers });
    return before + [...after].join('');
  };
  expect(textOf(false)).not.toMatch(/alice/i);
  const { record } = await recordOfTrace(textOf(true));
  expect(record.endpoints[0]?.actions).toEqual([
    { ...{ timeUs: 1e6, action: message.action }, result: { ok: true, message: '', inForce } },
  ]);
});

it('the streams and incidents of a document that is gone end with it', async () => {
  const watch = await watched(20, (timeS) => ({
    inbound: [
      { ssrc: 1, bytesReceived: bytesAt(Math.min(timeS, 10)) },
      { ssrc: 2, bytesReceived: bytesAt(timeS) },
    ],
  }));
  expect(watch.state.streams.map(({ isLive }) => isLive)).toEqual([false, true]);
  watch.windowEnded('w');
  const { connections, streams, incidents } = watch.state;
  expect(connections.map(({ state }) => state)).toEqual(['closed']);
  expect(streams).toEqual([]);
  for (const { toUs } of incidents) expect(toUs).not.toBeNull();
  watch.close();
});

it('A_s holds where the counters of a sender start again, as when a screen replaces the camera', async () => {
  const RESTARTS_S = 10;
  const watch = await watched(20, (timeS) => {
    const sinceS = timeS < RESTARTS_S ? timeS : timeS - RESTARTS_S;
    const packetsSent = Math.round(sinceS * 100);
    return { outbound: [{ ...{ mid: '0', bytesSent: bytesAt(sinceS), packetsSent }, packetsLost: 0 }] };
  });
  const a_s = a_sOf(watch);
  watch.close();
  expect(a_s.length).toBeGreaterThan(20);
  expect(Math.min(...a_s.filter(Number.isFinite))).toBeGreaterThan(0.5e6);
});
