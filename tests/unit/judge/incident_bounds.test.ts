/** Limits on the rate, set by the page or by ccscope itself, as causes of a fall of the rate. */
import { describe, expect, it } from 'vitest';

import type { Action, ActionRecord } from '../../../src/calls/record/record.js';
import { type Moment, isLater, only, seen, whySent } from './incident_calls.js';

describe('a bound', () => {
  it('of a media section is that of all its layers together', () => {
    const layers = (sectionBoundBps: number, bps: number): Moment => ({
      ...{ bps: 0.2 * bps, stream: { rid: 'l', targetBps: 0.2 * bps, sectionBoundBps } },
      layers: [{ bps: 0.8 * bps, rid: 'h', targetBps: 0.8 * bps, sectionBoundBps, mid: '0' }],
    });
    const { cause } = whySent(layers(5e5, 5e5), layers(NaN, 2e6));
    expect(cause.kind).toBe('cap');
    expect(cause.evidence).toContain('cap was set to 500 kbps');
    expect(whySent(layers(5e5, 9e5), layers(NaN, 2e6)).cause.kind).not.toBe('cap');
  });

  const capped = (later: Moment, before: Moment = {}) => whySent(later, before).cause;
  const bound = (maxBitrateBps: number, bps: number): Moment => ({
    bps,
    stream: { maxBitrateBps, targetBps: bps },
  });

  it('is the cause where the rate stands at it, and not where it stands elsewhere', () => {
    const before = { stream: { maxBitrateBps: 2e6 } };
    expect(capped(bound(3e5, 2.8e5), before).kind).toBe('cap');
    expect(capped(bound(3e5, 1e5), before).kind).not.toBe('cap');
    expect(capped(bound(3e5, 5e5), before).kind).not.toBe('cap');
    const lost = { ...bound(1.04e6, 3e5), loss: 0.3 };
    expect(capped(lost, before).kind).toBe('loss');
  });

  it('that was only not known before, as high as the rate, is not new', () => {
    const lost = (maxBitrateBps: number) => ({ ...bound(maxBitrateBps, 8e5), loss: 0.3 });
    expect(capped(lost(1e6)).kind).toBe('loss');
    expect(capped(lost(1.02e6)).kind).toBe('loss');
    expect(capped(bound(8.2e5, 8e5)).kind).toBe('cap');
  });
});

const TARGET = { endpoint: 0, direction: 'send', mid: '0', ssrc: 11 } as const;

const done = (timeS: number, action: Action, inForce: Done['inForce']): ActionRecord => ({
  ...{ timeUs: timeS * 1e6, action, result: { ok: true, message: '', inForce } },
});

type Done = Extract<ActionRecord['result'], { ok: true }>;

describe('a bound that ccscope set itself', () => {
  const CAP = { kind: 'cap', encoding: null, maxBitrateBps: 2.6e5 } as const;
  const DRIVE = { kind: 'drive', controller: 'GCC', maxBitrateBps: 1e6 } as const;
  const why = (actions: ActionRecord[], later: Moment, before: Moment = {}) => {
    const record = seen('send', 30, (timeS) => (isLater(timeS) ? { bps: 2.5e5, ...later } : before));
    const [endpoint] = record.endpoints;
    if (endpoint !== undefined) endpoint.actions = actions;
    return only(record, 'rate-fall').cause;
  };
  const low = { stream: { targetBps: 2.5e5, maxBitrateBps: 2.6e5 } };

  it('is named as its own, and how it is taken back', () => {
    const cap = why([done(15.1, { ...CAP, target: TARGET }, [CAP])], low);
    expect(cap).toMatchObject({
      kind: 'cap',
      evidence: expect.stringContaining('because ccscope was told to cap it at 260 kbps') as string,
      fix: 'ccscope was told to cap it at 260 kbps. Release the stream in the view to undo this.',
    });
    const held = why([done(15.1, { kind: 'hold', target: TARGET }, [CAP])], low);
    expect(held.fix).toBe(
      'ccscope was told to hold it at its rate. Release the stream in the view to undo this.',
    );
  });

  it("is not named where the page's is lower, where it was taken back, and where it is of another stream", () => {
    const other = { ...TARGET, mid: '1', ssrc: 99 };
    const wide = { ...CAP, maxBitrateBps: 9e5 };
    const records = [
      [done(5, { ...wide, target: TARGET }, [wide])],
      [
        done(5, { ...CAP, target: TARGET }, [CAP]),
        done(6, { kind: 'release', target: TARGET, of: null }, []),
      ],
      [done(15, { ...CAP, target: other }, [CAP])],
      [{ ...done(15, { ...CAP, target: TARGET }, []), result: { ok: false as const, why: '', fix: '' } }],
    ];
    for (const actions of records) {
      const { kind, evidence } = why(actions, low);
      expect(kind).toBe('cap');
      expect(evidence).not.toContain('ccscope');
    }
  });

  it('is not the cause of what loss or a queue explains, while a controller drives', () => {
    const drives = [done(5, { ...DRIVE, target: TARGET }, [DRIVE])];
    const before = { stream: { maxBitrateBps: 1e6 } };
    expect(why(drives, { ...low, loss: 0.2 }, before).kind).toBe('loss');
    expect(why(drives, { ...low, rttS: 0.2 }, before).kind).toBe('overuse');
    expect(why(drives, low, before)).toMatchObject({
      kind: 'cap',
      fix: 'ccscope was told to drive it with GCC. Release the stream in the view to undo this.',
    });
    // A limit that the page itself set is the cause, even if there is loss at the same time.
    expect(why([], { ...low, loss: 0.2 }, before).kind).toBe('cap');
  });

  it('holds for encodings that it switched off', () => {
    const LAYER = { kind: 'layer', encoding: null, active: false } as const;
    const off = { bps: 0, stream: { active: false } };
    const ours = why([done(15, { ...LAYER, target: TARGET }, [LAYER])], off);
    expect(ours).toMatchObject({
      kind: 'sender-paused',
      fix: 'Release the stream in the view to undo this.',
    });
    expect(why([], off).fix).not.toContain('Release');
  });
});
