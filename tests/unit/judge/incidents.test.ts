/** Each incident from samples that show it and nothing else, and none from samples that do not. */
import { describe, expect, it } from 'vitest';

import type {
  CallRecord,
  InboundStats,
  OutboundStats,
  StatsSample,
} from '../../../src/calls/record/record.js';
import { tableSpec } from '../../../src/core/index.js';
import { IncidentLog, type Incident } from '../../../src/judge/incidents/index.js';
import { callRecord, inbound, outbound, sample } from './synthetic.js';

/** What an end of a call says at a time; rates and counts are summed up here. */
interface Moment {
  bps?: number;
  /** Share of the packets that are lost. */
  loss?: number;
  rttS?: number;
  availableOutgoingBps?: number;
  /** Bytes from the far side in each half second. */
  heardBytes?: number;
  checks?: number;
  route?: string;
  stream?: Partial<OutboundStats> & Partial<InboundStats>;
  /** More layers, beside the first. */
  layers?: readonly (Partial<OutboundStats> & { bps: number })[];
}

const STEP_S = 0.5;
const PACKET_BYTES = 1200;

/** A call of `seconds`, seen from one end alone. */
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

/** The incidents of a record that is fed sample by sample, as a live call is. */
function incidentsOf(record: CallRecord): readonly Incident[] {
  const [endpoint] = record.endpoints;
  if (endpoint === undefined) throw new Error('no endpoint');
  const all = [...endpoint.samples];
  endpoint.samples = [];
  const log = new IncidentLog(record);
  for (const each of all) {
    endpoint.samples.push(each);
    log.update();
  }
  return log.incidents;
}

/** The one incident of a call, or the one of that kind. */
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

  it('a fall of little is none: the picture of a slide', () => {
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

/** A call whose rate falls to a quarter, and what else changes then. */
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
    expect(cause.evidence).toContain('capped to 260 kbps');
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
    [{ trackState: 'none' as const }, 'no track any more'],
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
    expect(cause.evidence).toContain('the layer h off');
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
    const { cause } = whySent({ rttS: 0.1, availableOutgoingBps: 3e5, stream: target });
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
    if (ms === 25) expect(cause.evidence).toContain('takes 25 ms a frame, and took 8 ms before');
  });

  it('far-side-limited: the estimate stands at another value, without a queue', () => {
    const { cause } = whySent({ availableOutgoingBps: 2.6e5, stream: target });
    expect(cause.kind).toBe('far-side-limited');
    expect(cause.evidence).toContain('from 1.2 Mbps to 260 kbps');
  });

  it('application-limited: the encoder needs less than it may use', () => {
    expect(whySent({}).cause).toMatchObject({ kind: 'application-limited' });
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
      evidence: 'The source gives 10.0 frames a second, and gave 30.0 before.',
    });
  });

  it('unknown where nothing shows', () => {
    expect(whySent({ stream: target }).cause.kind).toBe('unknown');
  });
});

/** A controller beside the stream that signals overuse at each tenth group for a while, in which frames wait. */
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
      // Each third frame is a large one.
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
