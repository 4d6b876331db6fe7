/** There is no verdict on calls whose packets bypassed the link, nor on calls without media. */
import { describe, expect, it } from 'vitest';

import {
  judgeConvergence,
  judgeFairness,
  judgeFreezes,
  judgeLoss,
  judgeProved,
  judgeQueuingDelay,
  judgeUtilisation,
  type Asked,
} from '../../../src/judge/index.js';
import type { CallRecord, StatsSample } from '../../../src/calls/record/record.js';
import { callMetrics } from '../../../src/judge/index.js';
import { callRecord, inbound, outbound, samples, steady, videoSamples } from './synthetic.js';

const CAPACITY = [{ atS: 0, bps: 1e6 }];
const asked = (record: CallRecord): Asked => ({ record, view: {}, askedUs: 0, nowUs: 20e6 });

const converges = (record: CallRecord) =>
  judgeProved(asked(record), 'any', (each) =>
    judgeConvergence(each, { rateBps: 8e5, tolerance: 0.2, withinUs: 10e6 }),
  );

/** A call at 800 kbps. `outside` is the fraction of the received bytes that bypassed the link. */
function call(outside: number, more: Partial<StatsSample> = {}): CallRecord {
  const { sent, received } = videoSamples(0, 20, 8e5);
  const astray = received.map((sample) => ({
    ...sample,
    outsideBytesReceived: outside * sample.bytesReceived,
    ...more,
  }));
  return callRecord({
    packets: steady(0, 20, 8.2e5),
    capacity: CAPACITY,
    offerer: { samples: sent },
    answerer: { samples: astray },
  });
}

describe('a call that goes past its link', () => {
  it('has no verdict, whatever its rate: the cause names the share, the page and what to do', () => {
    expect(converges(call(0))).toMatchObject({ pass: true, settled: true });
    const record = call(0.5);
    record.endpoints[1]?.notices.push({
      level: 'error',
      code: 'not-routed',
      message: 'Why.',
      fix: 'do this',
    });
    const verdict = converges(record);
    expect(verdict).toMatchObject({
      pass: false,
      settled: false,
      final: true,
      cause: { kind: 'not-routed' },
    });
    // Half of the bytes at one endpoint bypassed the link, and none at the other endpoint. Both endpoints count
    // about the same number of bytes, so a quarter of all bytes bypassed the link.
    expect(verdict.received).toBe("no verdict: 25 % of the call's bytes bypassed the link");
    expect(verdict.cause?.evidence).toMatch(/^25 % .*, \d+ kB of them at page 2: .* Why\.$/);
    expect(verdict.cause?.fix).toBe('Do this.');
  });

  it('may be rounding: a thousandth', () => {
    expect(converges(call(0.0019))).toMatchObject({ pass: true });
    expect(converges(call(0.0021))).toMatchObject({ pass: false, settled: false });
  });

  it('is not one where no shaper carries it', () => {
    const { sent, received } = videoSamples(0, 20, 8e5);
    const astray = received.map((sample) => ({ ...sample, outsideBytesReceived: sample.bytesReceived }));
    const record = callRecord({ backend: 'none', offerer: { samples: sent }, answerer: { samples: astray } });
    expect(converges(record)).toMatchObject({ pass: true });
    expect(callMetrics(record).outsideRatio).toBeNull();
  });

  it('is known by what its candidate pairs count and the link never saw', () => {
    const record = call(0);
    const rows = Array.from({ length: 200 }, (_, i) => ({
      ...{ link: 0, time_us: (i + 1) * 1e5, queue_delay_us: 0, queue_bytes: 0, capacity_bps: 1e6, drops: 0 },
      delivered_bytes: 0,
    }));
    record.link?.forward?.rows.push(...rows);
    expect(callMetrics(record).outsideRatio).toBe(0);
    for (const sample of record.endpoints[0]?.samples ?? []) sample.bytesSent *= 2;
    // In 19 s, the sender's candidate pairs count 3.8 MB (1.6 Mbps). The link carries only 820 kbps: about
    // 2 MB without headers. A difference of 64 kB is tolerated, because packets may be in transit.
    expect(callMetrics(record).outsideRatio).toBeGreaterThan(0.25);
    expect(callMetrics(record).outsideRatio).toBeLessThan(0.35);
  });
});

describe('a call without anything to judge', () => {
  const checks = (): CallRecord => {
    const idle = samples(0, 20, (t) => ({ bytesSent: 40 * t, bytesReceived: 40 * t }));
    return callRecord({
      packets: steady(0, 20, 2000),
      capacity: CAPACITY,
      offerer: { samples: idle },
      answerer: { samples: idle },
    });
  };
  const keepsShort = (record: CallRecord) =>
    judgeProved(asked(record), 'any', (each) =>
      judgeQueuingDelay(each, { overUs: 10e6, mode: 'once', limits: [{ percentile: 95, ms: 100 }] }),
    );

  it('has no verdict on its checks, and says what was missing', () => {
    const verdict = keepsShort(checks());
    expect(verdict).toMatchObject({ pass: false, settled: false, final: true, cause: { kind: 'no-media' } });
    expect(verdict.received).toMatch(
      /^no verdict: neither media nor data passed, only [\d.]+ kbps of connectivity checks and RTCP$/,
    );
  });

  it('has one on data channels', () => {
    const record = checks();
    for (const sample of record.endpoints[0]?.samples ?? []) sample.dataBytesSent = sample.timeUs / 100;
    expect(keepsShort(record)).toMatchObject({ pass: true, settled: true });
  });

  it('has none on freezes where only audio came', () => {
    const heard = samples(0, 20, (t) => ({
      bytesReceived: 5000 * t,
      inbound: [inbound({ kind: 'audio', bytesReceived: 4000 * t })],
    }));
    const record = callRecord({ packets: steady(0, 20, 4e4), answerer: { samples: heard } });
    const verdict = judgeProved(asked(record), 'video', (each) =>
      judgeFreezes(each, { overUs: 10e6, mode: 'once', longestUs: 1e6 }),
    );
    expect(verdict).toMatchObject({ pass: false, settled: false });
    expect(verdict.received).toBe('no verdict: no video was received, only other media');
  });
});

describe('a number that is not known', () => {
  const rule = { overUs: 5e6, mode: 'once' } as const;
  const limits = [{ percentile: 95, ms: 100 }];
  const { sent, received } = videoSamples(0, 20, 8e5);
  const media = { offerer: { samples: sent }, answerer: { samples: received } };
  const unshaped = callRecord({ backend: 'none', ...media });
  const silent = callRecord({ packets: [], capacity: CAPACITY });
  const at10 = (record: CallRecord): Asked => ({ ...asked(record), askedUs: 10e6 });

  /** What each expectation says of a call; its utilisation is judged in a record of its own. */
  const verdictsOf = (record: CallRecord, ofUtilisation = record) => ({
    delay: judgeQueuingDelay(at10(record), { ...rule, limits }),
    loss: judgeLoss(at10(record), { ...rule, ratio: 0.1 }),
    utilisation: judgeUtilisation(at10(ofUtilisation), { ...rule, min: 0.5, of: 'call' }),
    freezes: judgeFreezes(at10(record), { ...rule, longestUs: 1e6 }),
    fairness: judgeFairness(at10(record), { ...rule, jain: 0.9, others: [{ record, view: {} }] }),
  });

  it('gives no verdict, so the opposite is not met either', () => {
    const verdicts = verdictsOf(silent, unshaped);
    for (const [name, verdict] of Object.entries(verdicts))
      expect(verdict, name).toMatchObject({ pass: false, settled: false, final: true });
    expect(verdicts.utilisation.received).toBe('unknown: no capacity of the link is known');
  });

  it('is not what a call has that is measured', () => {
    const shaped = callRecord({ packets: steady(0, 20, 8e5), capacity: CAPACITY, ...media });
    for (const [name, verdict] of Object.entries(verdictsOf(shaped)))
      expect(verdict, name).toMatchObject({ pass: true, settled: true, final: true });
  });

  it('is that of a window which a call does not fill', () => {
    const short = callRecord({ packets: steady(0, 4, 8e5), capacity: CAPACITY, ...media });
    for (const { states } of short.endpoints) states.push({ timeUs: 4e6, state: 'closed' });
    const verdict = judgeLoss(at10(short), { ...rule, ratio: 0.1 });
    expect(verdict).toMatchObject({ pass: false, settled: false, final: true });
    expect(verdict.received).toBe('the call ended after 4 s of them');
  });

  it('is that of a call which ended before it connected', () => {
    const never = callRecord({ connectedS: null });
    for (const { states } of never.endpoints) states.push({ timeUs: 4e6, state: 'closed' });
    expect(judgeLoss(at10(never), { ...rule, ratio: 0.1 })).toMatchObject({ settled: false, final: true });
  });
});

describe('directions of connections', () => {
  it('that carried nothing are no part of the capacity', () => {
    const { sent, received } = videoSamples(0, 20, 6e5);
    const record = callRecord({
      packets: steady(0, 20, 6e5),
      capacity: CAPACITY,
      offerer: { samples: sent },
      answerer: { samples: received },
    });
    const [first] = record.endpoints;
    if (first === undefined) throw new Error('no endpoint');
    // A second connection, to a server, has carried almost nothing but checks; its busier direction is backward.
    const idle = samples(0, 20, (t) => ({
      ...{ bytesSent: 40 * t, bytesReceived: 40 * t },
      inbound: [inbound({ ssrc: 77, bytesReceived: t < 1 ? 1 : 2 })],
      outbound: [outbound({ ssrc: 78, bytesSent: 0 })],
    }));
    record.endpoints.push({ ...first, id: 2, page: 1, samples: idle });
    record.connections.push({ id: 1, offerer: 2, answerer: null, flows: [2] });
    const metrics = callMetrics(record, {}, { fromUs: 5e6, toUs: 15e6 });
    expect(metrics.capacityBps).toBe(1e6);
    expect(metrics.utilisation).toBeCloseTo(0.6, 1);
  });
});
