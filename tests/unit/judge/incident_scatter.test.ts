/** Losses and round trips that were usual before a fall are not its causes. */
import { describe, expect, it } from 'vitest';

import { BETTER, FALL_S, type Moment, beside, isLater, onLink, only, seen } from './incident_calls.js';

describe('loss that is usual', () => {
  it.each(BETTER)('of 3 % is no cause beside %s', (kind, later) => {
    expect(onLink('send', () => ({ loss: 0.03 }), later).cause.kind).toBe(kind);
  });

  it('is not the cause at any rate; what comes beside it is', () => {
    const target = () => ({ stream: { targetBps: 2.5e5 } });
    expect(onLink('send', () => ({ loss: 0.03 }), target).cause.kind).toBe('unknown');
    expect(onLink('send', () => ({ loss: 0.15 }), target).cause.kind).toBe('unknown');
    const more = onLink(
      'send',
      () => ({ loss: 0.03 }),
      () => ({ loss: 0.2, ...target() }),
    );
    expect(more.cause).toMatchObject({
      kind: 'loss',
      evidence: expect.stringContaining('up from 3 %') as string,
    });
    expect(
      onLink(
        'send',
        () => ({}),
        () => ({ loss: 0.06, ...target() }),
      ).cause.kind,
    ).toBe('loss');
  });

  it('is not the cause of what is received', () => {
    const usual = () => ({ loss: 0.03 });
    expect(onLink('receive', usual).cause.kind).toBe('far-side-limited');
    expect(onLink('receive', usual, () => ({ stream: { frameHeight: 180 } })).cause.kind).toBe(
      'layer-dropped',
    );
    expect(
      onLink(
        'receive',
        () => ({}),
        () => ({ loss: 0.06 }),
      ).cause.kind,
    ).toBe('loss');
    expect(onLink('receive', usual, () => ({ loss: 0.2 })).cause.kind).toBe('loss');
  });

  it('some that is new comes last, but before an estimate that fell for no reason', () => {
    const some = (more: Moment) =>
      onLink(
        'send',
        () => ({}),
        () => ({ loss: 0.06, ...more }),
      ).cause.kind;
    expect(some({ stream: { targetBps: 1e6 } })).toBe('application-limited');
    expect(some({ stream: { targetBps: 2.5e5, frameHeight: 180 } })).toBe('layer-dropped');
    let estimateBps = 4e5;
    const falling = () => ({
      availableOutgoingBps: (estimateBps *= 0.98),
      stream: { targetBps: 2.5e5, qualityLimitationReason: 'bandwidth' },
    });
    expect(
      onLink(
        'send',
        () => ({}),
        () => ({ loss: 0.06, ...falling() }),
      ).cause.kind,
    ).toBe('loss');
    expect(onLink('send', () => ({}), falling).cause.kind).toBe('overuse');
  });
});

/** A round trip that varies between 20 and 80 ms, with the same values in every run. */
const scattered = (timeS: number): number => 0.05 + 0.06 * (((timeS * 7.919) % 1) - 0.5);

/** A round trip of 50 ms, except for one measurement after the fall. */
const outlier = (timeS: number): number => (timeS === FALL_S + 1 ? 0.15 : 0.05);

describe('a round trip that scatters', () => {
  it.each(BETTER)('by 30 ms is no cause beside %s', (kind, later) => {
    expect(onLink('send', (timeS) => ({ rttS: scattered(timeS) }), later).cause.kind).toBe(kind);
  });

  it.each(BETTER)('a single measurement is no cause beside %s', (kind, later) => {
    expect(onLink('send', (timeS) => ({ rttS: outlier(timeS) }), later).cause.kind).toBe(kind);
  });

  it('a single measurement is looked at more than once', () => {
    const stays = (timeS: number) => ({
      rttS: isLater(timeS) ? 0.1 : 0.05,
      stream: { targetBps: 2.5e5, reportTimeUs: Math.min(timeS, FALL_S + 0.5) * 1e6 },
    });
    expect(onLink('send', stays).cause.kind).not.toBe('overuse');
  });

  it('a single measurement that is very long, and comes with heavy loss, is that of a full queue', () => {
    const full = (loss: number) => (timeS: number) => ({
      ...(timeS === FALL_S + 1 && { rttS: 0.45, loss }),
      stream: { targetBps: 2.5e5, fractionLost: timeS === FALL_S + 1 ? loss : 0 },
    });
    expect(onLink('send', full(0.6)).cause.kind).toBe('overuse');
    expect(onLink('send', full(0)).cause.kind).not.toBe('overuse');
  });

  it('what was measured before the fall, and is only repeated, bears nothing out', () => {
    const repeats = (timeS: number): boolean => timeS >= 12 && timeS <= 13.5;
    const trips = (timeS: number): number => (repeats(timeS) ? 0.15 : timeS === FALL_S + 1 ? 0.14 : 0.05);
    const call = onLink('send', (timeS) => ({
      rttS: trips(timeS),
      stream: { targetBps: 2.5e5, reportTimeUs: (repeats(timeS) ? 12 : timeS) * 1e6 },
    }));
    expect(call.cause.kind).not.toBe('overuse');
  });

  it('an estimate that goes to one value at once was told it, whatever some round trips took', () => {
    const call = (estimateBps: (timeS: number) => number) =>
      onLink('send', (timeS) => ({
        rttS: timeS > FALL_S && timeS <= FALL_S + 2 ? 0.11 + timeS / 1e4 : 0.05,
        ...(isLater(timeS) && { availableOutgoingBps: estimateBps(timeS), stream: { targetBps: 2.5e5 } }),
      }));
    expect(call(() => 2.6e5).cause.kind).toBe('far-side-limited');
    expect(call((timeS) => 2.6e5 + 5e3 * (timeS - FALL_S)).cause.kind).toBe('overuse');
  });

  it.each(BETTER)('a queue is the cause all the same: before %s', (_, later) => {
    const queue = (usual: (timeS: number) => number) => (timeS: number) => ({
      rttS: usual(timeS) + (isLater(timeS) ? 0.15 : 0),
    });
    expect(onLink('send', queue(scattered), later).cause.kind).toBe('overuse');
    expect(
      onLink(
        'send',
        queue(() => 0.05),
        later,
      ).cause.kind,
    ).toBe('overuse');
  });

  it('is no queue of what is received', () => {
    expect(onLink('receive', (timeS) => ({ rttS: scattered(timeS) })).cause.kind).toBe('far-side-limited');
    const queue = (timeS: number) => ({ rttS: scattered(timeS) + (isLater(timeS) ? 0.15 : 0) });
    expect(onLink('receive', queue).cause.kind).toBe('overuse');
  });

  it('one long measurement beside frames that did not wait is no queue of what is received; frames that did bear it out', () => {
    const once = (waitMs: number) =>
      beside(
        seen('receive', 30, (timeS) => ({
          checks: 0,
          rttS: timeS > FALL_S + 1 ? 0.1 : 0.05,
          ...(isLater(timeS) ? { bps: 2.5e5 } : {}),
        })),
        FALL_S - 1,
        waitMs,
      );
    expect(only(once(0)).cause.kind).toBe('far-side-limited');
    expect(only(once(40)).cause.kind).toBe('overuse');
  });
});
