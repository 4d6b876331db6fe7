import { describe, expect, it } from 'vitest';

import { curveOf, judgeBaseline, type Asked } from '../../../src/judge/index.js';
import type { CallRecord } from '../../../src/calls/record/record.js';
import { updateOf } from '../../../src/playwright/baseline.js';
import { callRecord, steady, type SyntheticPacket } from './synthetic.js';

const asked = (record: CallRecord, nowS: number): Asked => ({
  record,
  view: {},
  askedUs: 0,
  nowUs: nowS * 1e6,
});
/**
 * A call that connects at `atS` and receives 400 kbps for 4 s, then 800 kbps. Packets leave 1 ms early, so that
 * no packet is on the boundary between two half seconds.
 */
function call(atS: number, more: readonly SyntheticPacket[] = []): CallRecord {
  const packets = [...steady(atS, atS + 4, 4e5), ...steady(atS + 4, atS + 30, 8e5), ...more];
  return callRecord({ packets: packets.map((p) => ({ ...p, departS: p.departS - 0.001 })), connectedS: atS });
}

describe('a baseline that does not exist', () => {
  it.each([
    ['1.50.0', 'missing', 'default'],
    ['1.63.2', 'missing', 'default'],
    ['1.64.0', 'missing', 'missing'],
    ['1.64.0', 'default', 'default'],
    ['1.63.2', 'all', 'all'],
    ['2.0.0', 'missing', 'missing'],
  ] as const)(
    'is as a missing snapshot is by default in Playwright %s with %s: %s',
    (version, given, meant) => {
      expect(updateOf({ version, updateSnapshots: given })).toBe(meant);
    },
  );
});

describe('curves', () => {
  it('begin at connecting, and hold the trailing 2 s at the end of each half second', () => {
    const curve = curveOf(asked(call(3), 3 + 10.2));
    // A call of 10.2 s has 20 whole half seconds. Means over the trailing 2 s: (0.5 s × 400 kbps) / 2 s = 100
    // kbps at 0.5 s, 400 kbps at 2 s, and (400 + 800) / 2 = 600 kbps at 5 s.
    expect(curve?.receivedBps).toHaveLength(20);
    expect(curve?.receivedBps[0]).toBe(1e5);
    expect(curve?.receivedBps[3]).toBe(4e5);
    expect(curve?.receivedBps[9]).toBe(6e5);
    expect(curve?.receivedBps[19]).toBe(8e5);
    expect(curve?.queueDelayMs.every((ms) => ms === 0)).toBe(true);
    expect(curveOf(asked(callRecord({ connectedS: null }), 9))).toBeNull();
  });

  it('match themselves, wherever the call began', () => {
    const curve = curveOf(asked(call(3), 13)) ?? { receivedBps: [], queueDelayMs: [] };
    const rule = { curve, tolerance: 0.01, delayToleranceMs: 1 };
    expect(judgeBaseline(asked(call(8), 18), rule)).toMatchObject({ pass: true, final: true, cause: null });
    // One second before the end of the stored curve, the call is not judged yet.
    const early = judgeBaseline(asked(call(8), 17), rule);
    expect(early).toMatchObject({ pass: false, final: false, settled: false, dueUs: 18e6 });
    expect(early.received).toBe('9 s of it so far');
  });

  it('differ by the root mean square, and say where first', () => {
    const curve = { receivedBps: [1e5, 2e5, 5e5, 6e5], queueDelayMs: [0, 0, 0, 0] };
    const rule = { curve, tolerance: 0.1, delayToleranceMs: 10 };
    // A call that receives 400 kbps from the start has the curve 100, 200, 300, 400 kbps. This curve differs from
    // the stored curve by 0, 0, 200 and 200 kbps, an RMS of 141.4 kbps. The RMS of the stored curve is sqrt((1 + 4 +
    // 25 + 36) / 4) × 100 = 406.2 kbps. 141.4 / 406.2 = 34.8 %.
    const verdict = judgeBaseline(asked(call(1), 20), rule);
    expect(verdict).toMatchObject({ pass: false, final: true, settled: true });
    expect(verdict.received).toContain('rates differ by 34.8 % (RMS)');
    expect(verdict.received).toContain('first apart 1.5 s after connecting: 300 kbps instead of 500 kbps');
    expect(judgeBaseline(asked(call(1), 20), { ...rule, tolerance: 0.35 }).pass).toBe(true);
  });

  it('compare delays as well', () => {
    const slow = call(0);
    slow.link?.forward?.packets.queueDelayUs.fill(60e3);
    const curve = curveOf(asked(call(0), 10)) ?? { receivedBps: [], queueDelayMs: [] };
    const rule = { curve, tolerance: 0.1, delayToleranceMs: 59 };
    expect(judgeBaseline(asked(slow, 20), rule)).toMatchObject({ pass: false, cause: { kind: 'overuse' } });
    expect(judgeBaseline(asked(slow, 20), { ...rule, delayToleranceMs: 61 }).pass).toBe(true);
  });
});
