/**
 * Each incident must be found in samples that show only this incident, and not in samples that do not show
 * it.
 */
import { describe, expect, it } from 'vitest';

import { FreezeFinder } from '../../../src/calls/record/freezes.js';
import type {
  Action,
  ActionRecord,
  CallRecord,
  EndpointRecord,
  InboundStats,
  OutboundStats,
  StatsSample,
} from '../../../src/calls/record/record.js';
import { tableSpec } from '../../../src/core/index.js';
import {
  incidentsOf as incidentsOfWhole,
  IncidentLog,
  type Incident,
} from '../../../src/judge/incidents/index.js';
import { callRecord, inbound, outbound, sample, samples } from './synthetic.js';

/**
 * The state of one end of a call at one moment. `seen` turns these rates and counts into the cumulative counters
 * of getStats.
 */
interface Moment {
  bps?: number;
  /** The fraction of packets that are lost. */
  loss?: number;
  rttS?: number;
  availableOutgoingBps?: number;
  /** The bytes that arrive from the far side in each half second. */
  heardBytes?: number;
  checks?: number;
  route?: string;
  stream?: Partial<OutboundStats> & Partial<InboundStats>;
  /** Further layers, in addition to the first. */
  layers?: readonly (Partial<OutboundStats> & { bps: number })[];
}

const STEP_S = 0.5;
const PACKET_BYTES = 1200;

/** The record of a call that lasts `seconds`. It contains only one of the call's two ends. */
function seen(side: 'send' | 'receive', seconds: number, at: (timeS: number) => Moment): CallRecord {
  const counts = new Map<number, { bytes: number; packets: number; lost: number }>();
  let [heard, checks] = [0, 0];
  const samples: StatsSample[] = [];
  for (let timeS = 0; timeS <= seconds; timeS += STEP_S) {
    const moment = at(timeS);
    const { bps = 1e6, loss = 0, rttS = 0.05, route = 'host/udp host/udp' } = moment;
    const count = (ssrc: number, rate: number) => {
      const known = counts.get(ssrc) ?? { bytes: 0, packets: 0, lost: 0 };
      const packets = (rate * STEP_S) / 8 / PACKET_BYTES;
      known.bytes += (rate * STEP_S) / 8;
      known.packets += packets;
      known.lost += packets * loss;
      counts.set(ssrc, known);
      return known;
    };
    heard += moment.heardBytes ?? 5000;
    checks += moment.checks ?? (timeS % 2.5 === 0 ? 1 : 0);
    const frames = Math.round(30 * timeS);
    const { bytes, packets, lost } = count(11, bps);
    const sent = [
      outbound({
        ...{ bytesSent: bytes, packetsSent: packets, packetsLost: lost, framesEncoded: frames },
        ...{ sourceFrames: frames, targetBps: 1e6, fractionLost: loss, roundTripTimeS: rttS },
        ...{ reportTimeUs: timeS * 1e6, ...moment.stream },
      }),
      ...(moment.layers ?? []).map(({ bps: rate, ...more }, i) => {
        const layer = count(20 + i, rate);
        return outbound({ ssrc: 20 + i, bytesSent: layer.bytes, packetsSent: layer.packets, ...more });
      }),
    ];
    const received = inbound({
      ...{ bytesReceived: bytes, packetsReceived: packets, packetsLost: lost },
      ...{ framesReceived: frames, framesDecoded: frames, ...moment.stream },
    });
    samples.push(
      sample(timeS, {
        ...{ rttS, route, checksAnswered: checks, bytesReceived: heard, routeChanges: 0 },
        availableOutgoingBps: moment.availableOutgoingBps ?? 1.2e6,
        ...(side === 'send' ? { outbound: sent } : { inbound: [received] }),
      }),
    );
  }
  const record = callRecord({ backend: 'none', offerer: { samples }, connectedS: -5 });
  record.endpoints.pop();
  return record;
}

/**
 * Empties an endpoint, so that its samples can be added again one by one, as in a live call. Returns all samples, and
 * a function `next`. It adds one sample, and all states up to the time of this sample. If the endpoint has no
 * freezes, `next` also looks for freezes in the samples.
 */
function growing(endpoint: EndpointRecord): {
  samples: readonly StatsSample[];
  next(sample: StatsSample): void;
} {
  const [all, states] = [endpoint.samples, endpoint.states];
  endpoint.samples = [];
  endpoint.states = [];
  const finder = endpoint.freezes.length === 0 ? new FreezeFinder(endpoint.freezes) : null;
  const next = (each: StatsSample): void => {
    endpoint.samples.push(each);
    endpoint.states = states.filter(({ timeUs }) => timeUs <= each.timeUs);
    finder?.see(each, () => ({ frames: NaN, isStopped: false }));
    if (endpoint.samples.length === all.length) endpoint.states = states;
  };
  return { samples: all, next };
}

/** The incidents of a record that is fed sample by sample, as a live call is. */
function incidentsOf(record: CallRecord): readonly Incident[] {
  const log = new IncidentLog(record);
  const steps = record.endpoints.flatMap((endpoint) => {
    const { samples: all, next } = growing(endpoint);
    return all.map((each) => ({ timeUs: each.timeUs, step: () => next(each) }));
  });
  for (const { step } of steps.sort((x, y) => x.timeUs - y.timeUs)) {
    step();
    log.update();
  }
  log.update();
  return log.incidents;
}

/** The only incident of a call, or the only one of this kind; fails if there are none or several. */
function only(record: CallRecord, kind?: Incident['kind']): Incident {
  const incidents = incidentsOf(record).filter((each) => kind === undefined || each.kind === kind);
  expect(incidents).toHaveLength(1);
  const [incident] = incidents;
  if (incident === undefined) throw new Error('no incident');
  expect(incident.settled).toBe(true);
  return incident;
}

const FALL_S = 15;
const isLater = (timeS: number): boolean => timeS > FALL_S;

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

/**
 * The incident of a call whose sending rate falls to a quarter. Apart from the rate, the call has the state `before`
 * until the fall, and `later` after it.
 */
const whySent = (later: Moment, before: Moment = {}): Incident =>
  only(
    seen('send', 30, (timeS) => (isLater(timeS) ? { bps: 2.5e5, ...later } : before)),
    'rate-fall',
  );
const whyReceived = (later: Moment, before: Moment = {}): Incident =>
  only(
    seen('receive', 30, (timeS) => (isLater(timeS) ? { bps: 2.5e5, ...later } : before)),
    'rate-fall',
  );

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

/**
 * Adds a controller that analyses the stream. For 3 s from `fromS`, frames wait in a queue, and every tenth
 * group signals overuse.
 */
function beside(record: CallRecord, fromS: number, waitMs: number): CallRecord {
  const { columns } = tableSpec('group');
  const overuse = columns.find(({ name }) => name === 'signal')?.values?.indexOf('overuse') ?? NaN;
  const rows = 30 * 30;
  const at = (row: number): Record<string, number> => {
    const timeS = row / 30;
    const isWaiting = timeS > fromS && timeS < fromS + 3;
    return {
      time_us: timeS * 1e6,
      signal: isWaiting && row % 10 === 0 ? overuse : 0,
      // Every third frame is larger, so its delay is longer.
      one_way_delay_us: (row % 3 === 0 ? 30e3 : 5e3) + (isWaiting ? waitMs * 1e3 : 0),
      gamma_ms: 12.5,
    };
  };
  const values = columns.map(({ name }) =>
    Float64Array.from({ length: rows }, (_, row) => at(row)[name] ?? 0),
  );
  record.shadows.push({
    ...{ flow: 1, endpoint: 0, ssrc: 22, flows: [] },
    batches: [{ table: 'group', rows, columns: values }],
  });
  return record;
}

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

/** The counters, at `timeS`, of a received stream at 30 fps. */
const stream = (ssrc: number, timeS: number, more: Partial<InboundStats> = {}): InboundStats => {
  const frames = Math.round(30 * timeS);
  return inbound({
    ...{ ssrc, mid: String(ssrc), bytesReceived: 5e4 * timeS, packetsReceived: 50 * timeS },
    ...{ framesReceived: frames, framesDecoded: frames, ...more },
  });
};

/** The record of a call that receives these streams, over a connection whose ICE checks are answered. */
function receives(
  seconds: number,
  at: (timeS: number) => readonly InboundStats[],
  rttS = (_: number) => 0.05,
) {
  const all = samples(0, seconds, (timeS) => ({
    ...{ inbound: [...at(timeS)], rttS: rttS(timeS), checksAnswered: Math.floor(timeS / 2.5) },
    ...{ bytesReceived: 1e5 * timeS, route: 'host/udp host/udp', routeChanges: 0 },
  }));
  const record = callRecord({ backend: 'none', offerer: { samples: all }, connectedS: -5 });
  record.endpoints.pop();
  return record;
}

/** The counters of a stream from which nothing ever arrives. */
const dead = (ssrc: number): InboundStats => inbound({ ssrc, mid: String(ssrc) });
/**
 * A stream that arrives, but is no longer decoded after `fromS`. With `asks`, the receiver requests a key
 * frame each second.
 */
const stuck = (ssrc: number, timeS: number, fromS: number, asks: boolean): InboundStats =>
  stream(ssrc, timeS, {
    framesDecoded: Math.round(30 * Math.min(timeS, fromS)),
    pliCount: asks ? Math.max(0, Math.floor(timeS - fromS)) : 0,
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
      // The record does not contain the stream to which this freeze belongs.
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

/**
 * The number of frames that the source has produced so far: 30 per second, but 10 per second after FALL_S.
 */
const slowing = (timeS: number): number => 30 * Math.min(timeS, FALL_S) + 10 * Math.max(0, timeS - FALL_S);

/**
 * Causes of a lower sending rate that are not in the link. Each function returns a state of the call that shows the
 * cause.
 */
const BETTER: readonly (readonly [string, (timeS: number) => Moment])[] = [
  ['application-limited', () => ({ stream: { targetBps: 1e6 } })],
  ['far-side-limited', () => ({ availableOutgoingBps: 2.6e5, stream: { targetBps: 2.5e5 } })],
  ['application-limited', (timeS) => ({ stream: { targetBps: 2.5e5, sourceFrames: slowing(timeS) } })],
  ['cpu-limited', () => ({ stream: { targetBps: 2.5e5, qualityLimitationReason: 'cpu' } })],
  ['layer-dropped', () => ({ stream: { targetBps: 2.5e5, frameHeight: 180 } })],
];

/**
 * The incident of a call whose rate falls to a quarter. The state `always` applies to the whole call. After the fall,
 * the state `later` is added to it.
 */
const onLink = (
  side: 'send' | 'receive',
  always: (timeS: number) => Moment,
  later: (timeS: number) => Moment = () => ({}),
): Incident =>
  only(
    seen(side, 30, (timeS) => ({
      ...always(timeS),
      ...(isLater(timeS) ? { bps: 2.5e5, ...later(timeS) } : {}),
    })),
    'rate-fall',
  );

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
      fix: 'ccscope was told to cap it at 260 kbps. Press Release to undo this.',
    });
    const held = why([done(15.1, { kind: 'hold', target: TARGET }, [CAP])], low);
    expect(held.fix).toBe('ccscope was told to hold it at its rate. Press Release to undo this.');
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
      fix: 'ccscope was told to drive it with GCC. Press Release to undo this.',
    });
    // A limit that the page itself set is the cause, even if there is loss at the same time.
    expect(why([], { ...low, loss: 0.2 }, before).kind).toBe('cap');
  });

  it('holds for encodings that it switched off', () => {
    const LAYER = { kind: 'layer', encoding: null, active: false } as const;
    const off = { bps: 0, stream: { active: false } };
    const ours = why([done(15, { ...LAYER, target: TARGET }, [LAYER])], off);
    expect(ours).toMatchObject({ kind: 'sender-paused', fix: 'Press Release to undo this.' });
    expect(why([], off).fix).not.toContain('Release');
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
