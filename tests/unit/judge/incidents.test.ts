/** Which samples contain an incident, and how often the incident is reported. */
import { describe, expect, it } from 'vitest';

import type { CallRecord, InboundStats } from '../../../src/calls/record/record.js';
import { tableSpec } from '../../../src/core/index.js';
import { evidenceOf } from '../../../src/judge/incidents/evidence.js';
import { incidentsOf as incidentsOfWhole, type Incident } from '../../../src/judge/incidents/index.js';
import { lookAt } from '../../../src/judge/incidents/stream_looks.js';
import {
  FALL_S,
  type Moment,
  STEP_S,
  dead,
  incidentsOf,
  isLater,
  only,
  receives,
  seen,
  stream,
  stuck,
} from './incident_calls.js';

describe('what is an incident', () => {
  it('none is found in a steady call, and none in one that scatters by a tenth', () => {
    expect(incidentsOf(seen('send', 60, () => ({})))).toEqual([]);
    const scatters = (timeS: number): Moment => ({ bps: 1e6 * (1 + 0.1 * Math.sin(timeS * 7.3)) });
    expect(incidentsOf(seen('send', 60, scatters))).toEqual([]);
  });

  it('a fall of a fifth is one, of an eighth is not', () => {
    const falls = (to: number) => seen('send', 40, (timeS) => ({ bps: isLater(timeS) ? to : 1e6 }));
    expect(incidentsOf(falls(8.75e5))).toEqual([]);
    const incident = only(falls(8e5));
    expect(incident.kind).toBe('rate-fall');
    expect(incident.before).toBeCloseTo(1e6, -4);
    expect(incident.after).toBeCloseTo(8e5, -4);
  });

  it.each(['send', 'receive'] as const)('none is found where a counter of bytes starts again: %s', (side) => {
    const record = seen(side, 30, () => ({}));
    for (const { samples } of record.endpoints)
      for (const { timeUs, outbound, inbound } of samples) {
        if (timeUs <= FALL_S * 1e6) continue;
        for (const stats of outbound) stats.bytesSent -= (1e6 / 8) * FALL_S;
        for (const stats of inbound) stats.bytesReceived -= (1e6 / 8) * FALL_S;
      }
    expect(incidentsOf(record)).toEqual([]);
  });

  it('a fall begins with the first look that shows it, and is found once', () => {
    const incident = only(seen('receive', 60, (timeS) => ({ bps: isLater(timeS) ? 3e5 : 1e6 })));
    expect(incident.fromUs).toBe((FALL_S + STEP_S) * 1e6);
    expect(incident.toUs).not.toBeNull();
  });

  it('a fall by a second step is another one', () => {
    const steps = (timeS: number): Moment => ({ bps: timeS > 35 ? 2e5 : isLater(timeS) ? 5e5 : 1e6 });
    expect(incidentsOf(seen('send', 60, steps)).map(({ fromUs }) => fromUs)).toEqual([15.5e6, 35.5e6]);
  });

  it('a sudden end in the middle of a slow fall is another one', () => {
    const ends = (timeS: number): Moment => ({
      bps: timeS > 32 ? 0 : 1e6 * (1 - Math.max(0, timeS - 15) / 40),
    });
    const incidents = incidentsOf(seen('send', 60, ends));
    expect(incidents).toHaveLength(2);
    expect(Math.abs((incidents[1]?.fromUs ?? NaN) - 32.5e6)).toBeLessThanOrEqual(1e6);
    expect(incidents[1]?.after).toBe(0);
  });

  it('a stop within seconds of a fall is another one, with its own cause; a fall that goes on is not', () => {
    const stops = (timeS: number): Moment => ({
      bps: timeS > 19 ? 0 : isLater(timeS) ? 4e5 : 1e6,
      ...(timeS > 19 ? { stream: { trackState: 'none' } } : {}),
    });
    const incidents = incidentsOf(seen('send', 40, stops));
    expect(incidents).toHaveLength(2);
    expect(Math.abs((incidents[1]?.fromUs ?? NaN) - 19.5e6)).toBeLessThanOrEqual(0.5e6);
    expect(incidents[1]?.cause.kind).toBe('sender-paused');
    const halves = (timeS: number): Moment => ({
      bps: 1e6 * Math.max(0.1, 0.5 ** Math.max(0, timeS - FALL_S)),
    });
    expect(incidentsOf(seen('send', 40, halves))).toHaveLength(1);
  });

  it('a small fall is not an incident: the picture of a slide', () => {
    expect(incidentsOf(seen('send', 40, (timeS) => ({ bps: isLater(timeS) ? 2e4 : 4e4 })))).toEqual([]);
  });

  it('a delay that rises by 100 ms for two looks is one, by 40 ms is not', () => {
    const rises = (byS: number) =>
      seen('send', 40, (timeS) => ({ rttS: timeS > 15 && timeS <= 18 ? 0.05 + byS : 0.05 }));
    expect(incidentsOf(rises(0.04))).toEqual([]);
    const incident = only(rises(0.1));
    expect(incident).toMatchObject({ kind: 'delay-rise', fromUs: 15.5e6, toUs: 18.5e6 });
    expect(incident.before).toBeCloseTo(50, 6);
    expect(incident.after).toBeCloseTo(150, 6);
  });

  it('nothing is said of a connection that has closed', () => {
    const record = seen('send', 40, (timeS) => ({ bps: isLater(timeS) ? 0 : 1e6 }));
    record.endpoints[0]?.states.push({ timeUs: FALL_S * 1e6, state: 'closed' });
    expect(incidentsOf(record)).toEqual([]);
  });
});

/** A call with two ends in which a few things go wrong, one after the other. */
function badCall(): CallRecord {
  const sends = (timeS: number): Moment => {
    if (timeS > 20 && timeS <= 35) return { bps: 3e5, stream: { targetBps: 3e5, maxBitrateBps: 3e5 } };
    if (timeS > 55 && timeS <= 62) return { bps: 3e5, loss: 0.2, stream: { targetBps: 3e5 } };
    if (timeS > 85 && timeS <= 92) return { bps: 3e5, rttS: 0.3, stream: { targetBps: 3e5 } };
    return timeS > 108 ? { bps: 0, stream: { trackPaused: 'muted' } } : {};
  };
  const frames = (timeS: number): number => Math.round(30 * (timeS < 40 ? timeS : Math.max(40, timeS - 4)));
  const receives = (timeS: number): Moment => ({
    ...(timeS > 70 && timeS <= 80 && { bps: 3e5 }),
    stream: {
      framesReceived: Math.round(30 * timeS),
      framesDecoded: frames(timeS),
      pliCount: Math.min(4, Math.max(0, Math.floor(timeS - 40))),
      // The browser counts a freeze only when the freeze is over, and then reports its duration.
      ...(timeS > 44 && { freezeCount: 1, totalFreezesDurationS: 3.7 }),
      frameHeight: timeS > 70 && timeS <= 80 ? 180 : 360,
    },
  });
  const record = seen('send', 120, sends);
  const [other] = seen('receive', 120, receives).endpoints;
  if (other === undefined) throw new Error('no endpoint');
  record.endpoints.push({ ...other, id: 1, page: 1 });
  for (const { states } of record.endpoints) states.push({ timeUs: 119.9e6, state: 'closed' });
  return record;
}

describe('a whole call', () => {
  it('gives what it gave while it went on: incidents, causes and evidence', () => {
    const record = badCall();
    const live = incidentsOf(record);
    const told = live.map(({ kind, cause: { kind: why } }) => `${kind} ${why}`);
    expect(told).toEqual([
      'rate-fall cap',
      'freeze waiting-for-key-frame',
      'rate-fall loss',
      'rate-fall layer-dropped',
      'rate-fall overuse',
      'delay-rise overuse',
      'rate-fall sender-paused',
    ]);
    expect(live.every(({ settled, cause: { evidence } }) => settled && !/NaN|unknown/.test(evidence))).toBe(
      true,
    );
    expect(incidentsOfWhole(record)).toEqual(live);
  });

  it('that has closed has incidents; one that has not has its last one unsettled', () => {
    const cut = (timeS: number): Moment => (timeS > 118.6 ? { bps: 1e5 } : {});
    const closed = seen('send', 120, cut);
    const open = seen('send', 120, cut);
    closed.endpoints[0]?.states.push({ timeUs: 120e6, state: 'closed' });
    expect(incidentsOf(closed)).toMatchObject([{ settled: true }]);
    expect(incidentsOfWhole(closed)).toMatchObject([{ settled: true }]);
    expect(incidentsOf(open)).toMatchObject([{ settled: false }]);
    expect(incidentsOfWhole(open)).toEqual(incidentsOf(open));
  });
});

describe('an incident late in a long call', () => {
  const [MINUTES, INCIDENT_S, ROWS_PER_BATCH] = [20, 19 * 60, 300];

  /** A shadow of the call. From the incident on, frames wait 40 ms for 3 s, and every tenth group signals overuse. */
  function shadow(read: () => void): CallRecord['shadows'][number] {
    const { columns } = tableSpec('group');
    const overuse = columns.find(({ name }) => name === 'signal')?.values?.indexOf('overuse') ?? NaN;
    const at = (row: number): Record<string, number> => {
      const timeS = row / 30;
      const isWaiting = timeS > INCIDENT_S && timeS < INCIDENT_S + 3;
      return {
        time_us: timeS * 1e6,
        signal: isWaiting && row % 10 === 0 ? overuse : 0,
        one_way_delay_us: (row % 3 === 0 ? 30e3 : 5e3) + (isWaiting ? 40e3 : 0),
        gamma_ms: timeS < INCIDENT_S - 60 ? 99 : 12.5,
      };
    };
    const counting = (column: Float64Array): Float64Array =>
      new Proxy(column, {
        get: (target, key) => {
          if (typeof key === 'string' && /^\d+$/.test(key)) read();
          return Reflect.get(target, key, target) as unknown;
        },
      });
    const batches = Array.from({ length: (MINUTES * 60 * 30) / ROWS_PER_BATCH }, (_, batch) => ({
      table: 'group' as const,
      rows: ROWS_PER_BATCH,
      columns: columns.map(({ name }) => {
        const values = Float64Array.from(
          { length: ROWS_PER_BATCH },
          (_, row) => at(batch * ROWS_PER_BATCH + row)[name] ?? 0,
        );
        return name === 'one_way_delay_us' ? counting(values) : values;
      }),
    }));
    return { flow: 1, endpoint: 0, ssrc: 11, flows: [], batches };
  }

  it('reads what the shadow saw around it, and not the whole call', () => {
    const record = seen('receive', MINUTES * 60, (timeS) =>
      timeS > INCIDENT_S ? { bps: 2.5e5, loss: 0.2 } : {},
    );
    let reads = 0;
    record.shadows.push(shadow(() => reads++));
    const [endpoint] = record.endpoints;
    if (endpoint === undefined) throw new Error('no endpoint');
    const watched = { endpoint: 0, direction: 'receive' as const, key: '11' };
    const { samples } = endpoint;
    const looks = samples.flatMap((now, i) => {
      const before = samples[i - 1];
      return before === undefined ? [] : [lookAt(watched, before, now)];
    });
    const fromUs = (INCIDENT_S + STEP_S) * 1e6;
    const begun = { kind: 'rate-fall' as const, stream: watched, fromUs, before: 1e6, after: 2.5e5 };
    const { queueMs, queueBesideLossMs, detector } = evidenceOf(record, endpoint, looks, begun);
    expect([queueMs, queueBesideLossMs]).toEqual([40, 40]);
    expect(detector).toEqual({ groups: 90, overuseShare: 3 / 90, gammaMs: 12.5 });
    expect(reads).toBeGreaterThan(200);
    expect(reads).toBeLessThan(2000);
  });
});

describe('several streams of a connection', () => {
  it('a freeze is of the stream that froze, and judged by that alone', () => {
    const one = receives(30, (timeS) => [dead(1), stuck(2, timeS, 15, true), stream(3, timeS)]);
    expect(only(one, 'freeze')).toMatchObject({
      stream: { key: '2' },
      cause: { kind: 'waiting-for-key-frame' },
    });
    // Stream 2 waits for a key frame. Stream 3 froze because its decoder is stuck.
    const both = receives(30, (timeS) => [dead(1), stuck(2, timeS, 15, true), stuck(3, timeS, 15, false)]);
    const freezes = incidentsOf(both).filter(({ kind }) => kind === 'freeze');
    expect(freezes.map(({ stream: { key }, cause: { kind } }) => `${key} ${kind}`)).toEqual([
      '2 waiting-for-key-frame',
      '3 cpu-limited',
    ]);
  });

  it('a freeze that ended before the browser counted it is one', () => {
    const counted = (timeS: number): Partial<InboundStats> =>
      timeS > 19 ? { freezeCount: 1, totalFreezesDurationS: 2.9 } : {};
    const record = receives(30, (timeS) => [
      stream(2, timeS, {
        framesDecoded: Math.round(30 * (timeS < 15 ? timeS : Math.max(15, timeS - 3))),
        ...counted(timeS),
      }),
    ]);
    const { after, toUs } = only(record, 'freeze');
    expect(record.endpoints[0]?.freezes).toHaveLength(2);
    expect(after).toBe(3000);
    expect(toUs).toBe(19.25e6);
    expect(incidentsOfWhole(record)).toEqual(incidentsOf(record));
  });

  it('a stream that is gone for ten seconds is forgotten', () => {
    const comes = (timeS: number) => (timeS < 10 ? [stream(1, timeS), stream(2, timeS)] : [stream(2, timeS)]);
    const freezeAt = (atS: number): Incident | undefined => {
      const record = receives(40, comes);
      // This freeze does not say which stream froze.
      record.endpoints[0]?.freezes.push({ fromUs: atS * 1e6, toUs: (atS + 1) * 1e6 });
      return incidentsOf(record).find(({ kind }) => kind === 'freeze');
    };
    expect(freezeAt(14)?.stream.key).toBe('1');
    expect(freezeAt(25)?.stream.key).toBe('2');
  });

  it('the round trip of all that is received rises once', () => {
    const all = receives(
      30,
      (timeS) => [1, 2, 3].map((ssrc) => stream(ssrc, timeS)),
      (timeS) => (isLater(timeS) ? 0.25 : 0.05),
    );
    expect(only(all, 'delay-rise')).toMatchObject({ stream: { direction: 'receive', key: '1' } });
  });
});

describe('a slow fall', () => {
  /** A rate that falls from 1 Mbps to 300 kbps over 30 s. */
  const declines = (timeS: number): number => Math.max(3e5, 1e6 - Math.max(0, timeS - 20) * (7e5 / 30));

  it('is found once', () => {
    const incident = only(seen('send', 90, (timeS) => ({ bps: declines(timeS) })));
    expect(incident.kind).toBe('rate-fall');
    expect(incident.before).toBeGreaterThan(9.5e5);
    expect(incident.after).toBeCloseTo(3e5, -4);
    expect(incident.fromUs).toBeGreaterThan(28e6);
    expect(incident.fromUs).toBeLessThan(36e6);
  });

  it('has the cause that shows around the time at which it was found', () => {
    // The source produces fewer and fewer frames. When the fall of the rate is detected, about 30 % of the
    // frames are missing.
    const frames = (timeS: number): number =>
      30 * timeS - (timeS > 20 ? (Math.min(timeS - 20, 30) * (timeS - 20)) / 2.4 : 0);
    const slows = seen('send', 60, (timeS) => ({
      bps: declines(timeS),
      stream: { targetBps: declines(timeS), sourceFrames: Math.round(frames(timeS)) },
    }));
    expect(only(slows).cause.kind).toBe('application-limited');
    const queues = seen('send', 60, (timeS) => ({
      bps: declines(timeS),
      rttS: 0.05 + Math.max(0, Math.min(30, timeS - 20)) * 0.004,
      stream: { targetBps: declines(timeS) },
    }));
    expect(only(queues, 'rate-fall').cause.kind).toBe('overuse');
  });

  it.each([3, 6, 8, 10, 15, 20, 30, 60])('a swing of a tenth over %d s is not an incident', (periodS) => {
    const swings = (timeS: number): Moment => ({
      bps: 1e6 * (1 + 0.1 * Math.sin((2 * Math.PI * timeS) / periodS)),
    });
    expect(incidentsOf(seen('send', 180, swings))).toEqual([]);
  });

  it('a fall that recovers is found once, and so is one that stays', () => {
    const recovers = (timeS: number): Moment => ({
      bps: timeS <= 30 ? 1e6 : Math.min(1e6, 3e5 * 1.1 ** (timeS - 30)),
    });
    expect(incidentsOf(seen('send', 120, recovers))).toHaveLength(1);
    expect(incidentsOf(seen('send', 120, (timeS) => ({ bps: timeS > 30 ? 6e5 : 1e6 })))).toHaveLength(1);
  });
});
