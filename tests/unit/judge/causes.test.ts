/** Each cause must be found in a record that shows only this cause, and not in a record that does not show it. */
import { describe, expect, it } from 'vitest';

import {
  judgeConvergence,
  judgeFreezes,
  judgeLoss,
  judgeQueuingDelay,
  judgeUtilisation,
  type Asked,
  type Cause,
} from '../../../src/judge/index.js';
import { LIMITS } from '../../../src/machine/index.js';
import { machineSpells } from '../../../src/judge/machine.js';
import type { CallRecord } from '../../../src/calls/record/record.js';
import { callRecord, samples, steady, outbound, videoSamples, type SyntheticCall } from './synthetic.js';

const asked = (record: CallRecord, nowS = 20): Asked => ({ record, view: {}, askedUs: 0, nowUs: nowS * 1e6 });

/** Why a call did not converge to 1 Mbps ± 20 % in 10 s. */
function whyLow(record: CallRecord): Cause | null {
  const verdict = judgeConvergence(asked(record), { rateBps: 1e6, tolerance: 0.2, withinUs: 10e6 });
  expect(verdict).toMatchObject({ pass: false });
  return verdict.cause;
}

const TWO_MBPS = [{ atS: 0, bps: 2e6 }];

/**
 * A call that sends 400 kbps over a link of 2 Mbps without loss or queue. Its target (420 kbps) and estimate (450 kbps)
 * are only slightly higher.
 */
function slowCall(stream: Parameters<typeof videoSamples>[3] = {}, more: SyntheticCall = {}): CallRecord {
  const { sent, received } = videoSamples(0, 20, 4e5, {
    targetBps: 4.2e5,
    availableOutgoingBps: 4.5e5,
    ...stream,
  });
  return callRecord({
    packets: steady(0, 20, 4e5),
    capacity: TWO_MBPS,
    offerer: { samples: sent },
    answerer: { samples: received },
    ...more,
  });
}

describe('causes of a low rate', () => {
  it('none of them where nothing shows', () => {
    const cause = whyLow(slowCall());
    expect(cause?.kind).toBe('unknown');
    expect(cause?.evidence).toContain('sent 400 kbps, estimate 450 kbps, capacity 2 Mbps');
  });

  it('what the log of incidents says of a fall that lasts, where the window alone shows nothing', () => {
    const { sent, received } = videoSamples(0, 20, 4e5, { targetBps: 4.2e5, availableOutgoingBps: 4.5e5 });
    // The call sends 1 Mbps until 10 s. Then it changes to another route, over which it sends only 400 kbps.
    const moves = sent.map((sample) => {
      const timeS = sample.timeUs / 1e6;
      const bytesSent = (4e5 / 8) * timeS + (6e5 / 8) * Math.min(timeS, 10);
      return {
        ...sample,
        ...{ bytesSent, route: timeS > 10 ? 'relay/udp host/udp' : 'host/udp host/udp' },
        outbound: sample.outbound.map((stats) => ({ ...stats, bytesSent })),
      };
    });
    const fallen = (route: boolean): CallRecord =>
      callRecord({
        ...{ packets: steady(0, 20, 4e5), capacity: TWO_MBPS, answerer: { samples: received } },
        offerer: { samples: moves.map((sample) => (route ? sample : { ...sample, route: '' })) },
        connectedS: -5,
      });
    const cause = whyLow(fallen(true));
    expect(cause?.kind).toBe('route-change');
    expect(cause?.evidence).toMatch(/^It began at 10\.\d s\. The connection changed its route from host/);
    expect(whyLow(fallen(false))?.kind).toBe('unknown');
  });

  it('capacity: the link carries less', () => {
    const cause = whyLow(slowCall({}, { capacity: [{ atS: 0, bps: 7e5 }] }));
    expect(cause).toMatchObject({ kind: 'capacity' });
    expect(cause?.evidence).toBe('The link can carry 700 kbps, less than the 800 kbps needed.');
    expect(whyLow(slowCall({}, { capacity: [{ atS: 0, bps: 8.1e5 }] }))?.kind).toBe('unknown');
  });

  it('cap: the encoder stands at its maxBitrate', () => {
    expect(whyLow(slowCall({ maxBitrateBps: 4.4e5 }))?.evidence).toContain('capped at 440 kbps');
    // A cap is not the cause if it is at least the rate needed, or if the sent rate stays far below the cap.
    expect(whyLow(slowCall({ maxBitrateBps: 1e6 }))?.kind).toBe('unknown');
    expect(whyLow(slowCall({ maxBitrateBps: 7e5 }))?.kind).toBe('unknown');
  });

  it('cpu-limited: the encoder says so most of the time', () => {
    expect(whyLow(slowCall({ qualityLimitationReason: 'cpu' }))).toMatchObject({ kind: 'cpu-limited' });
    expect(whyLow(slowCall({ qualityLimitationReason: '' }))?.kind).toBe('unknown');
  });

  it('application-limited: less is sent than the encoder is asked for, or than is available', () => {
    expect(whyLow(slowCall({ targetBps: 6e5 }))?.evidence).toBe(
      'The encoder was asked for 600 kbps, but it sent only 400 kbps.',
    );
    expect(whyLow(slowCall({ availableOutgoingBps: 1.5e6 }))?.evidence).toContain(
      "The browser's estimate was 1.5 Mbps",
    );
    const limited = { targetBps: 6e5, qualityLimitationReason: 'bandwidth' };
    expect(whyLow(slowCall(limited))?.kind).toBe('unknown');
  });

  it('application-limited: the source stands still', () => {
    expect(whyLow(slowCall({ sourceFrames: 77 }))?.evidence).toContain('delivered no frames');
  });

  it('loss: more than 10 % is lost', () => {
    const lossy = (every: number) =>
      slowCall(
        {},
        {
          packets: steady(0, 20, 4e5).map((packet, i) =>
            i % every === 0 ? { ...packet, dropped: 'random-loss' as const } : packet,
          ),
        },
      );
    // One packet in eight is lost, which is 12.5 %. In a time window of about 220 packets, the count may be off
    // by one packet.
    expect(whyLow(lossy(8))).toMatchObject({ kind: 'loss' });
    expect(whyLow(lossy(8))?.evidence).toMatch(
      /^12\.\d+ % of the traffic was lost \(\d+ packets by chance, 0 by/,
    );
    // One packet in twenty is lost. At 5 %, the controller keeps its rate.
    expect(whyLow(lossy(20))?.evidence).toContain('does not raise its rate');
    expect(whyLow(lossy(100))?.kind).toBe('unknown');
  });

  it('cross-traffic: others have a fifth of the link or more', () => {
    const record = slowCall();
    const others = (bps: number): CallRecord => {
      const copy = structuredClone(record);
      const rows = [0, 5, 10, 15, 20].map((timeS) => ({
        link: 0,
        time_us: timeS * 1e6,
        queue_delay_us: 0,
        queue_bytes: 0,
        capacity_bps: 2e6,
        drops: 0,
        delivered_bytes: (timeS * (4e5 + bps)) / 8,
      }));
      copy.link?.forward?.rows.push(...rows);
      return copy;
    };
    expect(whyLow(others(1.4e6))).toMatchObject({ kind: 'cross-traffic' });
    expect(whyLow(others(1e5))?.kind).toBe('unknown');
  });

  it('ramping-up: the rate still rises', () => {
    // The rate grows by 50 kbps per second. From 7 s to 9 s, its mean is 425 kbps. From 9 s to 11 s, its mean
    // is 525 kbps.
    const packets = Array.from({ length: 20 }, (_, s) => steady(s, s + 1, 5e4 * (s + 1))).flat();
    const record = slowCall({ targetBps: NaN, availableOutgoingBps: NaN }, { packets });
    expect(whyLow(record)).toMatchObject({ kind: 'ramping-up' });
  });

  it('overuse: the queue is long', () => {
    const packets = steady(0, 20, 4e5, { queueDelayMs: 120 });
    const cause = whyLow(slowCall({}, { packets }));
    expect(cause).toMatchObject({ kind: 'overuse' });
    expect(cause?.evidence).toContain('ueuing delay p95 120 ms');
  });

  it('outage: the link stands still while packets wait', () => {
    // From 7 s to 9 s no packet leaves the link. Packets that arrive in this time leave from 9 s on.
    const waiting = steady(7, 9, 4e5).map(({ departS }, i) => ({
      departS: 9 + i * 0.005,
      queueDelayMs: (9 + i * 0.005 - departS) * 1e3,
    }));
    const packets = [...steady(0, 7, 4e5), ...waiting, ...steady(9.5, 20, 4e5)];
    expect(whyLow(slowCall({}, { packets }))).toMatchObject({ kind: 'outage' });
    // The same gap. It is not an outage, because nothing was sent.
    const silent = [...steady(0, 7, 4e5), ...steady(9, 20, 4e5)];
    expect(whyLow(slowCall({}, { packets: silent }))?.kind).not.toBe('outage');
  });

  it('no-media: no video, or nothing sent', () => {
    const mute = samples(0, 20, () => ({ outbound: [] }));
    expect(whyLow(callRecord({ offerer: { samples: mute } }))).toMatchObject({ kind: 'no-media' });
    const idle = samples(0, 20, () => ({ outbound: [outbound()] }));
    expect(whyLow(callRecord({ offerer: { samples: idle } }))?.evidence).toContain('sent nothing');
  });

  it('not-routed, page-ended, not-connected', () => {
    const { sent } = videoSamples(0, 20, 4e5);
    const astray = sent.map((sample) => ({ ...sample, outsideBytesSent: sample.bytesSent }));
    expect(whyLow(slowCall({}, { offerer: { samples: astray } }))).toMatchObject({ kind: 'not-routed' });
    const crashed = slowCall();
    crashed.pages[1] = {
      id: 1,
      context: 1,
      url: 'http://localhost/1',
      ended: { timeUs: 5e6, why: 'crashed' },
    };
    expect(whyLow(crashed)?.evidence).toBe('Page 2 (http://localhost/1) crashed at 5 s.');
    const never = whyLow(callRecord({ connectedS: null }));
    expect(never).toMatchObject({ kind: 'not-connected' });
    expect(never?.evidence).toContain('page 1 new, page 2 new');
    const record = callRecord({ connectedS: null });
    record.notices.push({ level: 'error', code: 'x', message: 'No API.', fix: 'Use Chromium.' });
    expect(whyLow(record)).toEqual({ kind: 'not-connected', evidence: 'No API.', fix: 'Use Chromium.' });
  });
});

describe('a call of audio alone', () => {
  const audio = (bps: number, more: SyntheticCall = {}): CallRecord => {
    const stats = (timeS: number) => ({ kind: 'audio' as const, bytesSent: (bps / 8) * timeS });
    const at = (timeS: number) => ({
      outbound: [outbound({ ...stats(timeS), packetsSent: Math.round(timeS * 50) })],
      bytesSent: stats(timeS).bytesSent,
    });
    return callRecord({ packets: steady(0, 20, bps), offerer: { samples: samples(0, 20, at) }, ...more });
  };

  it('is not told to add video where the link is narrow', () => {
    const record = audio(19e3, { capacity: [{ atS: 0, bps: 2e4 }] });
    const rule = { rateBps: 32e3, tolerance: 0, withinUs: 10e6 };
    expect(judgeConvergence(asked(record), rule).cause?.kind).toBe('capacity');
  });
});

describe('connections that ended before the window', () => {
  /** A second connection, between pages 2 and 3, that ended at 1 s, with its page. */
  function withEnded(record: CallRecord): CallRecord {
    const [offerer, answerer] = record.endpoints;
    if (offerer === undefined || answerer === undefined) throw new Error('no endpoints');
    const closed = (timeUs: number) => ({ timeUs, state: 'closed' as const });
    record.endpoints.push(
      ...[offerer, answerer].map((endpoint, i) => ({
        ...structuredClone(endpoint),
        ...{ id: 2 + i, page: 2 + i, states: [...endpoint.states, closed(1e6)] },
        samples: endpoint.samples.filter(({ timeUs }) => timeUs <= 1e6),
      })),
    );
    record.connections.push({ id: 1, offerer: 2, answerer: 3, flows: [] });
    for (const id of [2, 3])
      record.pages.push({
        ...{ id, context: id, url: `http://localhost/${id}` },
        ended: { timeUs: 1e6, why: 'closed' },
      });
    return record;
  }
  const capped = { maxBitrateBps: 4.2e5 };

  it('do not explain what the others do later', () => {
    expect(whyLow(slowCall(capped))?.kind).toBe('cap');
    expect(whyLow(withEnded(slowCall(capped)))?.kind).toBe('cap');
    const narrow = { capacity: [{ atS: 0, bps: 4.5e5 }] };
    expect(whyLow(withEnded(slowCall({}, narrow)))?.kind).toBe('capacity');
  });
});

describe('causes of other failures', () => {
  const window = { overUs: 10e6, mode: 'once' as const };

  it('a high rate: the link lets it through', () => {
    const verdict = judgeUtilisation(asked(slowCall()), { ...window, max: 0.1, of: 'call' });
    expect(verdict).toMatchObject({ pass: false, cause: { kind: 'capacity' } });
    expect(verdict.received).toBe('20 % (400 kbps of 2 Mbps)');
  });

  it('a long queue: the call sends more than the link carries', () => {
    // The call sends 600 kbps into a link of 500 kbps throughout. So in each half second, 300 kbit arrive and
    // 250 kbit leave.
    const packets = steady(0, 20, 5e5).map(({ departS }, i) => {
      const offeredS = (i + 1) / 60;
      return { departS, queueDelayMs: (departS - offeredS) * 1e3 - 20 };
    });
    const record = slowCall({}, { packets, capacity: [{ atS: 0, bps: 5e5 }] });
    const verdict = judgeQueuingDelay(asked(record), { ...window, limits: [{ percentile: 95, ms: 100 }] });
    expect(verdict).toMatchObject({ pass: false, final: true, cause: { kind: 'overuse' } });
    expect(verdict.cause?.evidence).toMatch(
      /^The call sent (59\d|60\d) kbps into 500 kbps for 10 s: queuing delay p95/,
    );
  });

  it('loss at a full queue is the call itself, loss by chance is not', () => {
    const lossy = (dropped: 'queue-full' | 'codel' | 'pie' | 'random-loss', queueDelayMs = 90) =>
      slowCall(
        {},
        {
          packets: steady(0, 20, 4e5, { queueDelayMs }).map((p, i) => (i % 20 === 0 ? { ...p, dropped } : p)),
        },
      );
    const rule = { ...window, ratio: 0.02 };
    expect(judgeLoss(asked(lossy('queue-full')), rule)).toMatchObject({
      pass: false,
      cause: { kind: 'overuse' },
    });
    // A short queue, or one whose AQM keeps it short, drops what is too much before packets wait for long.
    for (const dropped of ['codel', 'pie', 'queue-full'] as const) {
      const { cause } = judgeLoss(asked(lossy(dropped, 20)), rule);
      expect(cause?.kind).toBe('overuse');
      expect(cause?.evidence).toMatch(
        /^\d.* % of the traffic was lost \(0 packets by chance, \d+ by the queue's AQM, \d+ because the queue was full\); packets waited for at most 20 ms\.$/,
      );
      expect(cause?.fix).toContain('a queue that drops later');
    }
    expect(judgeLoss(asked(lossy('random-loss')), rule)).toMatchObject({
      pass: false,
      cause: { kind: 'loss' },
    });
    expect(judgeLoss(asked(lossy('random-loss')), { ...rule, ratio: 0.06 })).toMatchObject({
      pass: true,
      cause: null,
    });
  });

  const competed = (more: SyntheticCall = {}): CallRecord => {
    // The call takes 200 kbps of 500 kbps, and TCP connections take 270 kbps.
    const { sent, received } = videoSamples(0, 20, 2e5, { targetBps: 2e5, availableOutgoingBps: 2e5 });
    const record = callRecord({
      ...{ packets: steady(0, 20, 2e5, { queueDelayMs: 280 }), capacity: [{ atS: 0, bps: 5e5 }] },
      ...{ offerer: { samples: sent }, answerer: { samples: received }, ...more },
    });
    const rows = [0, 5, 10, 15, 20].map((timeS) => ({
      ...{ link: 0, time_us: timeS * 1e6, queue_delay_us: 280e3, queue_bytes: 0, capacity_bps: 5e5 },
      ...{ drops: 0, delivered_bytes: (timeS * 4.7e5) / 8 },
    }));
    record.link?.forward?.rows.push(...rows);
    return record;
  };

  it('a freeze while other traffic fills the queue', () => {
    const { received } = videoSamples(0, 20, 2e5);
    const froze = { samples: received, freezes: [{ fromUs: 4e6, toUs: 7e6 }] };
    const verdict = judgeFreezes(asked(competed({ answerer: froze })), { ...window, longestUs: 1e6 });
    expect(verdict).toMatchObject({ pass: false, cause: { kind: 'cross-traffic' } });
  });

  it('a low utilisation of the link is not due to the traffic that counts there', () => {
    const rule = { ...window, min: 0.97 };
    const ofCall = judgeUtilisation(asked(competed()), { ...rule, of: 'call' });
    expect(ofCall).toMatchObject({ pass: false, cause: { kind: 'cross-traffic' } });
    expect(ofCall.received).toBe('40 % (200 kbps of 500 kbps)');
    const ofLink = judgeUtilisation(asked(competed()), { ...rule, of: 'link' });
    expect(ofLink.received).toBe('94 % (470 kbps of 500 kbps)');
    expect(ofLink.pass).toBe(false);
    expect(ofLink.cause?.kind).not.toBe('cross-traffic');
  });

  it('a freeze while the link stood still', () => {
    const waiting = steady(7, 8, 4e5).map(({ departS }, i) => ({
      departS: 8 + i * 0.005,
      queueDelayMs: (8 + i * 0.005 - departS) * 1e3,
    }));
    const { sent, received } = videoSamples(0, 20, 4e5);
    const record = callRecord({
      packets: [...steady(0, 7, 4e5), ...waiting, ...steady(8.5, 20, 4e5)],
      capacity: TWO_MBPS,
      offerer: { samples: sent },
      answerer: { samples: received, freezes: [{ fromUs: 7e6, toUs: 8.1e6 }] },
    });
    const rule = { ...window, longestUs: 1e6 };
    const verdict = judgeFreezes(asked(record), rule);
    expect(verdict).toMatchObject({ pass: false, cause: { kind: 'outage' } });
    expect(verdict.received).toBe('longest 1100 ms, 1 in all for 1100 ms');
    expect(judgeFreezes(asked(record), { ...rule, longestUs: 1.1e6 })).toMatchObject({ pass: true });
    // There was no freeze during the last second of the time window.
    expect(judgeFreezes(asked(record), { ...rule, overUs: 1e6 })).toMatchObject({ pass: true });
  });
});

describe('windows', () => {
  // From 10.5 s to 11.5 s the queue is long, starting half a second after a change of the link. The changes are
  // at 10 s and 15 s.
  const packets = [
    ...steady(0, 10.5, 4e5),
    ...steady(10.5, 11.5, 4e5, { queueDelayMs: 200 }),
    ...steady(11.5, 30, 4e5),
  ];
  const record = callRecord({ packets, capacity: TWO_MBPS, changesS: [10, 15] });
  const limits = [{ percentile: 100, ms: 100 }];
  const judge = (askedS: number, rule: { overUs: number; afterUs?: number; mode?: 'retry' }) =>
    judgeQueuingDelay({ ...asked(record, 29), askedUs: askedS * 1e6 }, { mode: 'once', limits, ...rule });

  it('end when they are asked for, and reach back no further than the last change', () => {
    expect(judge(14, { overUs: 3e6 })).toMatchObject({ pass: false, window: { fromUs: 11e6, toUs: 14e6 } });
    expect(judge(14, { overUs: 2e6 })).toMatchObject({ pass: true, window: { fromUs: 12e6, toUs: 14e6 } });
    expect(judge(16, { overUs: 8e6 })).toMatchObject({ pass: true, window: { fromUs: 15e6, toUs: 23e6 } });
  });

  it('begin with a change that is named', () => {
    const cut = { afterUs: 10e6 };
    expect(judge(16, { overUs: 8e6, ...cut })).toMatchObject({
      pass: false,
      window: { fromUs: 10e6, toUs: 18e6 },
    });
    expect(judge(16, { overUs: 0.4e6, ...cut })).toMatchObject({
      pass: true,
      window: { fromUs: 10e6, toUs: 10.4e6 },
    });
  });

  it('move on where somebody waits', () => {
    expect(judge(16, { overUs: 3e6, mode: 'retry' })).toMatchObject({
      pass: true,
      final: false,
      settled: true,
      window: { fromUs: 26e6, toUs: 29e6 },
    });
  });

  it('are not judged before they are full, or after a call that was shorter', () => {
    const early = judgeQueuingDelay(
      { ...asked(record, 22), askedUs: 16e6 },
      { mode: 'once', limits, overUs: 8e6 },
    );
    expect(early).toMatchObject({ pass: false, final: false, settled: false, dueUs: 23e6 });
    const short = callRecord({ packets, capacity: TWO_MBPS });
    for (const { states } of short.endpoints) states.push({ timeUs: 4e6, state: 'closed' });
    const ended = judgeQueuingDelay(asked(short), { mode: 'once', limits, overUs: 8e6 });
    expect(ended).toMatchObject({ pass: false, final: true });
    expect(ended.received).toBe('the call ended after 4 s of them');
    // A time window can still be judged after the call has ended, if the call was at least as long as the
    // window.
    expect(judgeQueuingDelay(asked(short), { mode: 'once', limits, overUs: 3e6 })).toMatchObject({
      pass: true,
    });
  });
});

describe('an overloaded machine', () => {
  const each = (ms: number, count = 20): number[] => Array.from({ length: count }, () => ms);
  const { begin: shaperMs } = LIMITS.shaper;
  const { begin: callbacksMs } = LIMITS.callbacks;

  it('is the first cause of whatever fails, before those that show as well', () => {
    const lossy = steady(0, 20, 4e5).map((packet, i) =>
      i % 8 === 0 ? { ...packet, dropped: 'random-loss' as const } : packet,
    );
    const record = (lateMs: number) => slowCall({}, { packets: lossy, shaperLateMs: each(lateMs) });
    const rule = { overUs: 10e6, mode: 'once' as const };
    const judged = (lateMs: number): (Cause | null)[] => [
      whyLow(record(lateMs)),
      judgeLoss(asked(record(lateMs)), { ...rule, ratio: 0.01 }).cause,
      judgeUtilisation(asked(record(lateMs)), { ...rule, max: 0.01, of: 'call' }).cause,
    ];
    expect(judged(shaperMs).map((cause) => cause?.kind)).toEqual(Array(3).fill('machine-overloaded'));
    const kinds = judged(0.99 * shaperMs).map((cause) => cause?.kind);
    expect(kinds).not.toContain('machine-overloaded');
    expect(kinds[0]).toBe('loss');
  });

  it('says by what, how much, what that distorts, and what to do', () => {
    const cause = whyLow(slowCall({}, { shaperLateMs: each(40), callbacksLateMs: each(90) }));
    expect(cause?.evidence).toMatch(
      /For \d+(\.\d+)? % of the time, the machine was too busy for the call: at worst, over 5 s, packets leave the shaper 40\.0 ms late \(p95\), callbacks come 90 ms late; so packets are late.*stamped late/,
    );
    expect(cause?.fix).toMatch(/^Close other programs .*\.$/);
    const one = whyLow(slowCall({}, { callbacksLateMs: each(callbacksMs) }));
    expect(one?.kind).toBe('machine-overloaded');
    expect(one?.evidence).not.toContain('shaper');
    expect(whyLow(slowCall({}, { callbacksLateMs: each(0.99 * callbacksMs) }))?.kind).toBe('unknown');
  });

  it('is not named for hiccups, nor for what was over before the window', () => {
    const hiccups = (every: number) => each(1).map((ms, i) => (i % every < 1 ? 300 : ms));
    expect(whyLow(slowCall({}, { shaperLateMs: hiccups(12) }))?.kind).toBe('unknown');
    // The machine is late in every third second. This is reported only if nothing else explains the failure.
    expect(whyLow(slowCall({}, { shaperLateMs: hiccups(3) }))?.evidence).toMatch(
      /^Nothing else explains the result, but packets or callbacks were late in \d of \d+ seconds, by up to 300 ms\.$/,
    );
    expect(whyLow(slowCall({ maxBitrateBps: 4.4e5 }, { shaperLateMs: hiccups(3) }))?.kind).toBe('cap');
    const before = [...each(200, 5), ...each(1, 25)];
    const { cause } = judgeUtilisation(asked(slowCall({}, { shaperLateMs: before }), 20), {
      ...{ overUs: 8e6, mode: 'once', min: 0.9, of: 'call', afterUs: 12e6 },
    });
    expect(cause?.kind).not.toBe('machine-overloaded');
  });

  it('takes the latest of several pages in a second for that second', () => {
    const record = slowCall();
    for (let s = 1; s <= 20; s++)
      for (const [page, lateMs] of [1, 2, 90, 1].entries())
        record.late.push({ timeUs: s * 1e6 - page * 1e5, lateMs });
    expect(whyLow(record)?.evidence).toContain('callbacks come 90 ms late');
  });

  it('has its times, which the trace of a call tells as events', () => {
    const lateMs = [...each(1, 10), ...each(60, 10), ...each(1, 10), ...each(60, 10)];
    const reasons = [{ by: 'shaper', value: 60, limit: shaperMs }];
    expect(machineSpells(slowCall({}, { shaperLateMs: lateMs }))).toEqual([
      { fromUs: 13e6, toUs: 23e6, reasons },
      { fromUs: 33e6, toUs: null, reasons },
    ]);
    expect(machineSpells(slowCall({}, { shaperLateMs: each(0.99 * shaperMs) }))).toEqual([]);
  });

  it('does not speak where the call never came about', () => {
    const record = slowCall({}, { connectedS: null, shaperLateMs: each(90) });
    const verdict = judgeUtilisation(asked(record, 30), { overUs: 10e6, mode: 'once', min: 0.5, of: 'call' });
    expect(verdict.cause?.kind).toBe('not-connected');
  });
});
