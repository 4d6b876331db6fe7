/**
 * Each cause of a fall must be found in samples that show only this cause, and not in samples that do not show it.
 */
import { describe, expect, it } from 'vitest';

import { type Incident } from '../../../src/judge/incidents/index.js';
import {
  FALL_S,
  type Moment,
  beside,
  incidentsOf,
  isLater,
  onLink,
  only,
  receives,
  seen,
  stuck,
  whyReceived,
  whySent,
} from './incident_calls.js';

describe('why the rate of what is sent fell', () => {
  const target = { targetBps: 2.5e5 };

  it('cap', () => {
    const { cause } = whySent({ stream: { ...target, maxBitrateBps: 2.6e5 } });
    expect(cause.kind).toBe('cap');
    expect(cause.evidence).toContain('cap was set to 260 kbps');
    const lowered = whySent(
      { stream: { ...target, maxBitrateBps: 2.6e5 } },
      { stream: { maxBitrateBps: 2e6 } },
    );
    expect(lowered.cause.evidence).toContain('from 2 Mbps to 260 kbps');
    const same = whySent({ stream: { ...target, maxBitrateBps: 2e6 } }, { stream: { maxBitrateBps: 2e6 } });
    expect(same.cause.kind).not.toBe('cap');
  });

  it.each([
    [{ active: false }, 'all its encodings are switched off'],
    [{ trackState: 'none' as const }, 'no longer has a track'],
    [{ trackState: 'ended' as const }, 'its track has ended'],
    [{ trackPaused: 'disabled' as const }, 'its track was disabled'],
    [{ trackPaused: 'muted' as const }, 'muted by its source'],
  ])('sender-paused: %j', (stream, text) => {
    const { cause } = whySent({ bps: 0, stream });
    expect(cause.kind).toBe('sender-paused');
    expect(cause.evidence).toContain(text);
  });

  it('sender-paused is no outage, though no feedback comes on what is not sent', () => {
    const { cause } = whySent({ bps: 0, heardBytes: 0, stream: { active: false } });
    expect(cause.kind).toBe('sender-paused');
  });

  // Both pictures take as long per pixel, so only the larger one takes longer. The target stays.
  it.each([
    ['application-limited: a screen replaced the camera, and stands still', 2560, 'application-limited'],
    ['cpu-limited: each frame takes longer, and its size is the same', 1280, 'cpu-limited'],
  ])('%s', (_, width, kind) => {
    const encodes = (timeS: number): Moment => {
      const [now, frames] = [isLater(timeS), 30 * timeS];
      const slowS = Math.max(0, timeS - FALL_S) * 30 * (0.028 - 0.007);
      const size = now ? { frameWidth: width, frameHeight: (width * 9) / 16 } : {};
      return {
        bps: now ? 3e5 : 1e6,
        stream: { frameWidth: 1280, frameHeight: 720, ...size, totalEncodeTimeS: frames * 0.007 + slowS },
      };
    };
    expect(only(seen('send', 30, encodes), 'rate-fall').cause.kind).toBe(kind);
  });

  it('overuse, though the page keeps the upper layer off: layers without rids', () => {
    const off = [{ bps: 0, active: false, mid: '0', encodingIndex: 1 }];
    const slow = { rttS: 0.25, availableOutgoingBps: 3e5, layers: off };
    const { cause } = whySent({ ...slow, stream: target }, { layers: off });
    expect(cause.kind).toBe('overuse');
    const on = [{ bps: 8e5, active: true, mid: '0', encodingIndex: 1 }];
    expect(whySent({ bps: 2e5, layers: off }, { bps: 2e5, layers: on }).cause.kind).toBe('layer-dropped');
  });

  it('layer-dropped: one of two encodings was switched off', () => {
    const upper = (active: boolean) => [{ bps: active ? 8e5 : 0, rid: 'h', active, mid: '0' }];
    const low = { bps: 2e5, stream: { rid: 'l', targetBps: 2e5 } };
    const { cause } = whySent({ ...low, layers: upper(false) }, { ...low, layers: upper(true) });
    expect(cause.kind).toBe('layer-dropped');
    expect(cause.evidence).toContain('switched off the layer h');
  });

  it('route-change', () => {
    const { cause } = whySent({ route: 'relay/udp host/udp', rttS: 0.12, stream: target });
    expect(cause.kind).toBe('route-change');
    expect(cause.evidence).toContain('from host/udp host/udp to relay/udp host/udp');
    expect(cause.evidence).toContain('50 ms before and is 120 ms now');
  });

  it('route-change: what the new route does not carry shows seconds later', () => {
    const moves = seen('send', 40, (timeS) => ({
      route: timeS > 11 ? 'relay/udp host/udp' : 'host/udp host/udp',
      ...(isLater(timeS) ? { bps: 2.5e5, loss: 0.5 } : {}),
    }));
    expect(only(moves).cause.kind).toBe('route-change');
  });

  it('outage: what is sent is answered by nothing', () => {
    const away = seen('send', 40, (timeS) =>
      timeS > 15 && timeS <= 18 ? { bps: 3e5, heardBytes: 0, checks: 0 } : {},
    );
    expect(only(away).cause.kind).toBe('outage');
  });

  it('outage: the connection was lost, but not if it was connected again long before', () => {
    const withStates = (backS: number) => {
      const record = seen('send', 30, (timeS) =>
        isLater(timeS) ? { bps: 2.5e5, loss: 0.2, stream: target } : {},
      );
      record.endpoints[0]?.states.push(
        { timeUs: 8e6, state: 'disconnected' },
        { timeUs: backS * 1e6, state: 'connected' },
      );
      return only(record, 'rate-fall').cause;
    };
    expect(withStates(9).kind).toBe('loss');
    expect(withStates(14)).toMatchObject({
      kind: 'outage',
      evidence: 'The connection was disconnected at 8 s.',
    });
  });

  it('feedback-missing: reports stop, checks are answered', () => {
    const stops = seen('send', 40, (timeS) =>
      timeS > 11 ? { bps: timeS > 15 ? 2.5e5 : 1e6, stream: { ...target, reportTimeUs: 11e6 } } : {},
    );
    expect(only(stops).cause.kind).toBe('feedback-missing');
  });

  it('overuse: the round trip grew; not where it grew by no more than it scatters', () => {
    // The controller probes: it raises its estimate again and again.
    const probes = (timeS: number): number => 3e5 + 2e4 * (timeS % 3);
    const overused = (timeS: number): Moment =>
      isLater(timeS) ? { bps: 2.5e5, rttS: 0.1, availableOutgoingBps: probes(timeS), stream: target } : {};
    const { cause } = only(seen('send', 30, overused), 'rate-fall');
    expect(cause.kind).toBe('overuse');
    expect(cause.evidence).toContain('rose by 50 ms to 100 ms');
    expect(cause.evidence).toContain('from 1.2 Mbps to 300 kbps');
    expect(whySent({ rttS: 0.06, stream: target }).cause.kind).not.toBe('overuse');
  });

  it('loss: above a tenth; a long queue explains it', () => {
    const lossy = { loss: 0.2, availableOutgoingBps: 3e5, stream: target };
    expect(whySent(lossy).cause.kind).toBe('loss');
    expect(whySent({ ...lossy, rttS: 0.2 }).cause.kind).toBe('overuse');
  });

  it('loss: where it was reported before the round trip grew, no full queue has dropped the packets', () => {
    const repaired = seen('send', 40, (timeS) =>
      isLater(timeS) ? { bps: 2.5e5, loss: 0.2, rttS: timeS > 16 ? 0.2 : 0.05 } : {},
    );
    expect(only(repaired, 'rate-fall').cause.kind).toBe('loss');
    expect(only(repaired, 'delay-rise').cause.kind).toBe('loss');
  });

  it('cpu-limited', () => {
    const { cause } = whySent({ stream: { ...target, qualityLimitationReason: 'cpu' } });
    expect(cause.kind).toBe('cpu-limited');
    const always = { stream: { ...target, qualityLimitationReason: 'cpu' } };
    expect(whySent(always, always).cause.kind).not.toBe('cpu-limited');
  });

  it.each([
    [25, 'cpu-limited'],
    [12, 'unknown'],
  ])('an encoder that takes %d ms a frame, and took 8: %s', (ms, kind) => {
    const totalEncodeTimeS = (timeS: number): number =>
      0.03 * (8 * Math.min(timeS, FALL_S) + ms * Math.max(0, timeS - FALL_S));
    const slows = seen('send', 30, (timeS) => ({
      ...(isLater(timeS) && { bps: 2.5e5 }),
      stream: { totalEncodeTimeS: totalEncodeTimeS(timeS), ...(isLater(timeS) && target) },
    }));
    const { cause } = only(slows);
    expect(cause.kind).toBe(kind);
    if (ms === 25) expect(cause.evidence).toContain('takes 25 ms per frame, up from 8 ms');
  });

  it('far-side-limited: the estimate stands at another value, without a queue', () => {
    const { cause } = whySent({ availableOutgoingBps: 2.6e5, stream: target });
    expect(cause.kind).toBe('far-side-limited');
    expect(cause.evidence).toContain('from 1.2 Mbps to 260 kbps');
  });

  it('application-limited: the encoder needs less than it may use', () => {
    expect(whySent({}).cause).toMatchObject({ kind: 'application-limited' });
  });

  it('application-limited: it needs less all the time, whatever its target does meanwhile', () => {
    const swings = { availableOutgoingBps: 6e5, stream: { targetBps: 6e5 } };
    const { cause } = whySent(swings);
    expect(cause.kind).toBe('application-limited');
    expect(cause.evidence).toContain('may use 600 kbps (1 Mbps before), but needs only 250 kbps');
  });

  it('application-limited: it begins a larger picture, and the estimate stays', () => {
    const larger = { frameHeight: 720, ...target };
    const { cause } = whySent({ stream: larger });
    expect(cause.kind).toBe('application-limited');
    expect(cause.evidence).toContain('720 lines instead of 360');
    expect(whySent({ availableOutgoingBps: 2.6e5, stream: larger }).cause.kind).toBe('far-side-limited');
  });

  it('application-limited: the source gives fewer frames', () => {
    const sourceFrames = (timeS: number): number =>
      30 * Math.min(timeS, FALL_S) + 10 * Math.max(0, timeS - FALL_S);
    const slows = seen('send', 30, (timeS) => ({
      ...(isLater(timeS) && { bps: 2.5e5 }),
      stream: { sourceFrames: sourceFrames(timeS), ...(isLater(timeS) && target) },
    }));
    expect(only(slows).cause).toMatchObject({
      kind: 'application-limited',
      evidence: 'The source delivers 10.0 frames per second, down from 30.0.',
    });
  });

  it('unknown where nothing shows', () => {
    expect(whySent({ stream: target }).cause.kind).toBe('unknown');
  });
});

describe('what a controller beside the stream says', () => {
  const falls = (later: Moment = {}) =>
    seen('receive', 30, (timeS) => (isLater(timeS) ? { bps: 2.5e5, checks: 0, ...later } : {}));

  it('overuse: frames waited; not where only the large ones did', () => {
    const { cause } = only(beside(falls(), FALL_S - 1, 60));
    expect(cause.kind).toBe('overuse');
    expect(cause.evidence).toContain('frames waited for 60 ms longer');
    expect(only(beside(falls(), FALL_S - 1, 0)).cause.kind).toBe('far-side-limited');
  });

  it("frames that wait in the sender's pacer meet no queue: a check came through as quickly as ever", () => {
    expect(only(beside(falls({ checks: 1 }), FALL_S - 1, 300)).cause.kind).toBe('far-side-limited');
    expect(only(beside(falls({ checks: 1, rttS: 0.35 }), FALL_S - 1, 300), 'rate-fall').cause.kind).toBe(
      'overuse',
    );
  });

  it('a long queue explains the loss beside it; a round trip alone does not, where frames did not wait', () => {
    expect(only(beside(falls({ loss: 0.2 }), FALL_S - 1, 150)).cause.kind).toBe('overuse');
    const repeated = beside(falls({ loss: 0.2, rttS: 0.3 }), FALL_S - 1, 0);
    expect(only(repeated, 'rate-fall').cause.kind).toBe('loss');
  });

  it('a queue that was not there when the loss began is that of its repair', () => {
    const later = beside(falls({ loss: 0.2 }), FALL_S + 1, 150);
    expect(only(later, 'rate-fall').cause.kind).toBe('loss');
  });
});

describe('why the rate of what is received fell', () => {
  it('sender-paused: nothing comes of it, and the connection is alive', () => {
    expect(whyReceived({ bps: 0 }).cause.kind).toBe('sender-paused');
    expect(whyReceived({ bps: 0, heardBytes: 0 }).cause.kind).toBe('sender-paused');
  });

  it('outage: no check is answered either, or packets were lost in it', () => {
    expect(whyReceived({ bps: 0, heardBytes: 0, checks: 0 }).cause.kind).toBe('outage');
    const back = seen('receive', 40, (timeS) => {
      if (timeS > 15 && timeS <= 17) return { bps: 0, heardBytes: 0, checks: 0 };
      return timeS > 17 && timeS <= 18 ? { loss: 0.3 } : {};
    });
    expect(only(back).cause.kind).toBe('outage');
  });

  it('a stream that is seldom sent is not away between its packets, if no more is lost than usually', () => {
    const seldom = seen('receive', 40, (timeS) => {
      if (timeS > 16 && timeS <= 16.5) return { loss: 0.03, bps: 0, heardBytes: 0, checks: 0 };
      return { loss: 0.03, bps: isLater(timeS) ? 3e4 : 1e6, checks: 0 };
    });
    expect(only(seldom).cause.kind).toBe('far-side-limited');
  });

  it('loss, overuse, layer-dropped, far-side-limited', () => {
    expect(whyReceived({ loss: 0.2 }).cause.kind).toBe('loss');
    expect(whyReceived({ rttS: 0.12 }).cause.kind).toBe('overuse');
    expect(whyReceived({ stream: { frameHeight: 180 } }).cause).toMatchObject({
      kind: 'layer-dropped',
      evidence: expect.stringContaining('180 lines instead of 360') as string,
    });
    expect(whyReceived({}).cause.kind).toBe('far-side-limited');
  });
});

describe('an outage that lasts', () => {
  const reports = (untilS: number, timeS: number) => ({
    targetBps: 2.5e5,
    reportTimeUs: Math.min(untilS, timeS) * 1e6,
  });

  it.each([0, 4])('of 10 s is one at the sender, whose rate falls %d s after its beginning', (lateS) => {
    const away = seen('send', 60, (timeS) => {
      if (timeS <= 15 || timeS > 25) return {};
      const isLow = timeS > 15 + lateS;
      return { bps: isLow ? 1e5 : 1e6, heardBytes: 0, checks: 0, stream: reports(15, timeS) };
    });
    expect(incidentsOf(away)[0]).toMatchObject({ kind: 'rate-fall', cause: { kind: 'outage' } });
  });

  it('is no lack of feedback where a check is answered as it ends, before the first report', () => {
    const ends = seen('send', 40, (timeS) => {
      if (timeS <= 15) return {};
      const isBack = timeS > 18.5;
      const heard = isBack ? { heardBytes: 5000, checks: 1 } : { heardBytes: 0, checks: 0 };
      return { bps: timeS > 17 ? 2.5e5 : 1e6, ...heard, stream: reports(timeS > 20 ? 40 : 15, timeS) };
    });
    expect(incidentsOf(ends)[0]?.cause.kind).toBe('outage');
  });

  it('is not an outage where checks are answered after the reports stopped', () => {
    const stops = seen('send', 40, (timeS) =>
      timeS > 15 ? { bps: timeS > 19 ? 2.5e5 : 1e6, heardBytes: 0, stream: reports(15, timeS) } : {},
    );
    expect(only(stops).cause.kind).toBe('feedback-missing');
  });
});

describe('a route that changed', () => {
  const moved = (atS: number) => (timeS: number) => ({
    route: timeS > atS ? 'relay/udp host/udp' : 'host/udp host/udp',
  });

  it('is the cause of what comes some seconds later, at both ends', () => {
    expect(onLink('send', moved(11), () => ({ loss: 0.5 })).cause.kind).toBe('route-change');
    const { cause } = onLink('receive', moved(11));
    expect(cause.kind).toBe('route-change');
    expect(cause.evidence).toContain('4 s before');
  });

  it('is not the cause of what comes long after', () => {
    expect(onLink('receive', moved(8)).cause.kind).toBe('far-side-limited');
    expect(onLink('receive', moved(8), () => ({ bps: 0 })).cause.kind).toBe('sender-paused');
  });

  it('is not the cause of what somebody did, however near', () => {
    expect(onLink('receive', moved(14), () => ({ bps: 0 })).cause.kind).toBe('sender-paused');
    expect(onLink('receive', moved(14), () => ({ bps: 1e5 })).cause.kind).toBe('route-change');
  });

  it('is not the cause of a key frame that does not come, while packets do', () => {
    const freezes = (asks: boolean): Incident => {
      const record = receives(30, (timeS) => [stuck(2, timeS, 15, asks)]);
      for (const each of record.endpoints[0]?.samples ?? [])
        if (each.timeUs > 14e6) each.route = 'relay/udp host/udp';
      return only(record, 'freeze');
    };
    expect(freezes(true).cause.kind).toBe('waiting-for-key-frame');
    expect(freezes(false).cause.kind).toBe('route-change');
  });
});
