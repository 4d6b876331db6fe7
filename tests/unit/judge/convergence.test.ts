import { describe, expect, it } from 'vitest';

import { judgeConvergence, judgeRecovery, type Asked } from '../../../src/judge/index.js';
import type { CallRecord } from '../../../src/calls/record/record.js';
import { callRecord, steady, videoSamples } from './synthetic.js';

const asked = (record: CallRecord, nowS: number, askedS = 0): Asked => ({
  record,
  view: {},
  askedUs: askedS * 1e6,
  nowUs: nowS * 1e6,
});
const RULE = { rateBps: 1e6, tolerance: 0.2, withinUs: 10e6 };

/** 200 kbps for 4 s, then 900 kbps. */
const RAMP = [...steady(1, 5, 2e5), ...steady(5, 30, 9e5)];

describe('convergence', () => {
  it('comes when the trailing 2 s are in the band and stay there for a second', () => {
    // The call connects at 1 s. At t = 5 + x, the mean of the trailing 2 s reaches the band if (2 - x) * 200 +
    // x * 900 >= 2 * 800 kbps, that is, if x >= 12 / 7 = 1.714 s. The rate is evaluated every 100 ms, first at
    // 3 s. So the band is reached at 6.8 s, which is 5.8 s after connecting.
    const verdict = judgeConvergence(asked(callRecord({ packets: RAMP, connectedS: 1 }), 30), RULE);
    expect(verdict).toMatchObject({ pass: true, final: true, cause: null });
    // One packet more or less changes the rate by 5 kbps.
    expect(verdict.received).toMatch(/^(895|900) kbps after 5.8 s$/);
  });

  it('is not there before it stayed for a second', () => {
    const record = callRecord({ packets: RAMP, connectedS: 1 });
    expect(judgeConvergence(asked(record, 7.7), RULE)).toMatchObject({ pass: false, final: false });
    expect(judgeConvergence(asked(record, 7.9), RULE)).toMatchObject({ pass: true });
  });

  it('is too late one look after its time', () => {
    const record = callRecord({ packets: RAMP, connectedS: 1 });
    expect(judgeConvergence(asked(record, 30), { ...RULE, withinUs: 5.9e6 }).pass).toBe(true);
    // The rate is evaluated every 100 ms, so 5.75 s is between two evaluations. The band is found to be reached 5.8 s
    // after connecting, which is too late for both limits.
    for (const withinUs of [5.7e6, 5.75e6]) {
      expect(judgeConvergence(asked(record, 30), { ...RULE, withinUs })).toMatchObject({
        pass: false,
        final: true,
      });
    }
  });

  it('does not come by passing through', () => {
    // 200 kbps until 5 s, then 1.9 Mbps: at 5 s + x, the trailing rate is in 800 to 1200 kbps only for x in
    // [0.71, 1.18] s.
    const packets = [...steady(0, 5, 2e5), ...steady(5, 30, 1.9e6)];
    const record = callRecord({ packets, capacity: [{ atS: 0, bps: 2e6 }] });
    const verdict = judgeConvergence(asked(record, 30), { ...RULE, withinUs: 15e6 });
    expect(verdict).toMatchObject({ pass: false, final: true, cause: { kind: 'capacity' } });
    expect(verdict.cause?.evidence).toContain('2 Mbps');
  });

  it('counts from the last change before it was asked for', () => {
    const packets = [...steady(0, 20, 9e5), ...steady(20, 40, 4e5)];
    const record = callRecord({
      packets,
      changesS: [20],
      capacity: [
        { atS: 0, bps: 1e6 },
        { atS: 20, bps: 4e5 },
      ],
    });
    // The matcher (the call of `expect`) began after the change of the link at 20 s. So it ignores rates before
    // the change.
    const after = judgeConvergence(asked(record, 40, 21), RULE);
    expect(after).toMatchObject({ pass: false, final: true, cause: { kind: 'capacity' } });
    expect(judgeConvergence(asked(record, 40, 19), RULE)).toMatchObject({ pass: true });
    const lower = judgeConvergence(asked(record, 40, 21), { ...RULE, rateBps: 4e5 });
    expect(lower).toMatchObject({ pass: true });
    expect(lower.received).toBe('400 kbps after 2 s');
  });

  it('waits for the connection, and says that it waits', () => {
    const record = callRecord({ connectedS: null });
    const verdict = judgeConvergence(asked(record, 5), RULE);
    expect(verdict).toMatchObject({
      pass: false,
      final: false,
      dueUs: null,
      cause: { kind: 'not-connected' },
    });
  });

  it('ends with the call', () => {
    const record = callRecord({ packets: steady(0, 5, 3e5) });
    for (const { states } of record.endpoints) states.push({ timeUs: 5e6, state: 'closed' });
    expect(judgeConvergence(asked(record, 6), RULE)).toMatchObject({ pass: false, final: true });
  });

  it('reads getStats where there is no record of packets', () => {
    // Samples end at 12 s, and the rate is known until then. The first full time window of 2 s ends 2 s after
    // connecting.
    const { sent, received } = videoSamples(1, 12, 9e5);
    const record = callRecord({
      backend: 'none',
      connectedS: 1,
      offerer: { samples: sent },
      answerer: { samples: received },
    });
    const verdict = judgeConvergence(asked(record, 12.4), RULE);
    expect(verdict).toMatchObject({ pass: true, metrics: { source: 'getStats' } });
    expect(verdict.received).toBe('900 kbps after 2 s');
  });
});

describe('recovery', () => {
  const capacity = [
    { atS: 0, bps: 1e6 },
    { atS: 20, bps: 5e5 },
  ];

  it('comes when rate and queue are back', () => {
    // The call sends 900 kbps until the change at 20 s, then 500 kbps with a queue of 300 ms until 23 s, then
    // 480 kbps without a queue. The rate is enough, because 480 >= 0.9 × 500. The last packet that waited left
    // at 23.0 s, so at 24 s the queue has been short for a second. This is noticed at 24.0 or 24.1 s.
    const packets = [
      ...steady(0, 20, 9e5),
      ...steady(20, 23, 5e5, { queueDelayMs: 300 }),
      ...steady(23, 40, 4.8e5),
    ];
    const record = callRecord({ packets, capacity, changesS: [20] });
    const rule = { afterUs: 20e6, withinUs: 5e6 };
    const verdict = judgeRecovery(asked(record, 40, 20), rule);
    expect(verdict).toMatchObject({ pass: true, final: true });
    expect(verdict.received).toMatch(/^recovered after 4(\.1)? s/);
    expect(judgeRecovery(asked(record, 40, 20), { ...rule, withinUs: 3.9e6 })).toMatchObject({
      pass: false,
      final: true,
      cause: { kind: 'overuse' },
    });
  });

  it('needs the rate, not only an empty queue', () => {
    const packets = [...steady(0, 20, 9e5), ...steady(20, 40, 4.2e5)];
    const record = callRecord({ packets, capacity, changesS: [20] });
    const verdict = judgeRecovery(asked(record, 40, 20), { afterUs: 20e6, withinUs: 8e6 });
    expect(verdict).toMatchObject({ pass: false, final: true });
    expect(verdict.received).toContain('420 kbps in the last 2 s (needed 450 kbps)');
    // A rate of 420 kbps is enough if the test requires only 400 kbps.
    expect(judgeRecovery(asked(record, 40, 20), { afterUs: 20e6, withinUs: 8e6, toBps: 4e5 }).pass).toBe(
      true,
    );
  });

  it('does not come while the link lets nothing pass', () => {
    const outage = [
      { atS: 0, bps: 1e6 },
      { atS: 20, bps: 0 },
    ];
    const record = callRecord({ packets: steady(0, 20, 9e5), capacity: outage, changesS: [20] });
    const rule = { afterUs: 20e6, withinUs: 15e6 };
    expect(judgeRecovery(asked(record, 21.2, 20), rule)).toMatchObject({ pass: false, final: false });
    const verdict = judgeRecovery(asked(record, 40, 20), rule);
    expect(verdict).toMatchObject({ pass: false, final: true, cause: { kind: 'capacity' } });
    expect(verdict.received).toContain('0 kbps in the last 2 s (needed 810 kbps)');
  });

  it('needs a picture that moves', () => {
    const packets = [...steady(0, 20, 9e5), ...steady(20, 40, 4.8e5)];
    const froze = { freezes: [{ fromUs: 20.5e6, toUs: 26e6 }] };
    const record = callRecord({ packets, capacity, changesS: [20], answerer: froze });
    expect(judgeRecovery(asked(record, 40, 20), { afterUs: 20e6, withinUs: 5e6 }).pass).toBe(false);
    expect(judgeRecovery(asked(record, 40, 20), { afterUs: 20e6, withinUs: 7e6 }).pass).toBe(true);
  });
});
