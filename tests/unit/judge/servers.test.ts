/** Judgements of calls through a server: page 0 publishes and page 1 watches, each over its own link. */
import { describe, expect, it } from 'vitest';

import {
  callMetrics,
  changesOf,
  judgeConvergence,
  judgeFreezes,
  linkOf,
  type Judgement,
} from '../../../src/judge/index.js';
import type { CallRecord, PathRecord } from '../../../src/calls/record/record.js';
import { callRecord, direction, endpoint, steady, videoSamples, type SyntheticPacket } from './synthetic.js';

const UNTIL_S = 20;
const FREE_BPS = 5e6;

const own = (
  page: number,
  bps: number,
  forward: SyntheticPacket[],
  backward: SyntheticPacket[],
): PathRecord => ({
  page,
  changes: [{ timeUs: page * 1e5, text: `${bps} bps` }],
  forward: direction(forward, [{ atS: 0, bps }]),
  backward: direction(backward, [{ atS: 0, bps }]),
});

interface Server {
  /** The rates at which the publisher sends and the watcher receives, in bit/s. */
  sentBps: number;
  receivedBps: number;
  publisherCapacityBps?: number;
  maxBitrateBps?: number;
  targetBps?: number;
  availableOutgoingBps?: number;
}

function throughServer(server: Server): CallRecord {
  const { sentBps, receivedBps, publisherCapacityBps = FREE_BPS } = server;
  const { maxBitrateBps = NaN, targetBps = sentBps, availableOutgoingBps = sentBps } = server;
  const video = { maxBitrateBps, targetBps, availableOutgoingBps };
  const { sent } = videoSamples(0, UNTIL_S, sentBps, video);
  const { received } = videoSamples(0, UNTIL_S, receivedBps);
  const flow = (packets: SyntheticPacket[], number: number): SyntheticPacket[] =>
    packets.map((packet) => ({ ...packet, flow: number }));
  const record = callRecord({});
  if (record.link === null) throw new Error('no link');
  record.endpoints = [endpoint(0, 0, { samples: sent }), endpoint(1, 0, { samples: received })];
  record.connections = [
    { id: 0, offerer: 0, answerer: null, flows: [1] },
    { id: 1, offerer: 1, answerer: null, flows: [2] },
  ];
  record.link.own = [
    own(0, publisherCapacityBps, flow(steady(0, UNTIL_S, sentBps), 1), []),
    own(1, FREE_BPS, [], flow(steady(0, UNTIL_S, receivedBps), 2)),
  ];
  return record;
}

const asked = (record: CallRecord, page: number) =>
  ({ record, view: { page }, askedUs: 0, nowUs: UNTIL_S * 1e6 }) as const;

const converges = (record: CallRecord, page: number): Judgement =>
  judgeConvergence(asked(record, page), { rateBps: 1e6, withinUs: 10e6, tolerance: 0.2 });

describe('links of single pages', () => {
  const record = throughServer({ sentBps: 4e5, receivedBps: 3e5, publisherCapacityBps: 8e5 });

  it('are where their packets and capacities are looked up', () => {
    const window = { fromUs: 5e6, toUs: 15e6 };
    const publisher = callMetrics(record, { page: 0 }, window);
    expect(publisher.capacityBps).toBe(8e5);
    expect(publisher.utilisation).toBeCloseTo(0.5, 1);
    const watcher = callMetrics(record, { page: 1 }, window);
    expect(watcher.capacityBps).toBe(5e6);
    expect(watcher.utilisation).toBeCloseTo(0.06, 2);
    // For the whole call, the capacity is the sum of both links' capacities.
    expect(callMetrics(record, {}, window).capacityBps).toBe(58e5);
    expect(record.connections.map((one) => linkOf(record, one)?.page)).toEqual([0, 1]);
  });

  it('tell their changes in the order of time, with those of the shared one', () => {
    expect(changesOf(record).map(({ timeUs }) => timeUs)).toEqual([0, 0, 1e5]);
  });
});

describe('a watcher behind a server', () => {
  it('is held down by the link of the publisher', () => {
    const record = throughServer({ sentBps: 2.8e5, receivedBps: 2.8e5, publisherCapacityBps: 3e5 });
    const { pass, cause } = converges(record, 1);
    expect(pass).toBe(false);
    expect(cause?.kind).toBe('capacity');
    expect(cause?.evidence).toMatch(/^On the way from page 1 to the server: The link can carry 300 kbps/);
  });

  it('is held down by a maxBitrate of the publisher', () => {
    const record = throughServer({ sentBps: 2e5, receivedBps: 2e5, maxBitrateBps: 2e5 });
    expect(converges(record, 1).cause).toMatchObject({ kind: 'cap' });
  });

  it('gets less than is published: the server gives no more', () => {
    const record = throughServer({ sentBps: 12e5, receivedBps: 2e5 });
    const { cause } = converges(record, 1);
    expect(cause?.kind).toBe('far-side-limited');
    expect(cause?.evidence).toMatch(/sent only 200 kbps: the link had room for 5 Mbps/);
    // The publisher itself is not limited, so its own rate converges.
    expect(converges(record, 0).pass).toBe(true);
  });

  it('has nobody to blame where its own link is full', () => {
    const record = throughServer({ sentBps: 12e5, receivedBps: 2.9e5 });
    const [, watcher] = record.link?.own ?? [];
    if (watcher === undefined) throw new Error('no link of its own');
    watcher.backward = direction(
      steady(0, UNTIL_S, 2.9e5).map((packet) => ({ ...packet, flow: 2 })),
      [{ atS: 0, bps: 3e5 }],
    );
    expect(converges(record, 1).cause).toMatchObject({ kind: 'capacity' });
  });

  it('freezes when the server stops, and says for how long nothing came', () => {
    const record = throughServer({ sentBps: 4e5, receivedBps: 3e5 });
    const [, watcher] = record.link?.own ?? [];
    const [, page] = record.endpoints;
    if (watcher === undefined || page === undefined) throw new Error('no watcher');
    watcher.backward = direction(
      steady(0, 12, 3e5).map((packet) => ({ ...packet, flow: 2 })),
      [{ atS: 0, bps: FREE_BPS }],
    );
    page.freezes = [{ fromUs: 12e6, toUs: 20e6 }];
    const { cause, pass } = judgeFreezes(
      { ...asked(record, 1), askedUs: 20e6 },
      { overUs: 10e6, mode: 'once', longestUs: 1e6 },
    );
    expect(pass).toBe(false);
    expect(cause).toMatchObject({ kind: 'far-side-limited' });
    expect(cause?.evidence).toMatch(/with a pause of 8(\.0)? s:/);
  });
});
