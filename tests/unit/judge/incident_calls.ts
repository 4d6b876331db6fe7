/** Calls in which something goes wrong, and the incidents that are found in them. */
import { expect } from 'vitest';

import { FreezeFinder } from '../../../src/calls/record/freezes.js';
import type {
  CallRecord,
  EndpointRecord,
  InboundStats,
  OutboundStats,
  StatsSample,
} from '../../../src/calls/record/record.js';
import { tableSpec } from '../../../src/core/index.js';
import { IncidentLog, type Incident } from '../../../src/judge/incidents/index.js';
import { callRecord, inbound, outbound, sample, samples } from './synthetic.js';

/**
 * The state of one end of a call at one moment. `seen` turns these rates and counts into the cumulative counters
 * of getStats.
 */
export interface Moment {
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

export const STEP_S = 0.5;

const PACKET_BYTES = 1200;

/** The record of a call that lasts `seconds`. It contains only one of the call's two ends. */
export function seen(side: 'send' | 'receive', seconds: number, at: (timeS: number) => Moment): CallRecord {
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
 * a function `next`. Each call of `next` adds one sample, and all states up to the time of this sample. If the endpoint
 * has no freezes, `next` also looks for freezes in the samples.
 */
export function growing(endpoint: EndpointRecord): {
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
export function incidentsOf(record: CallRecord): readonly Incident[] {
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
export function only(record: CallRecord, kind?: Incident['kind']): Incident {
  const incidents = incidentsOf(record).filter((each) => kind === undefined || each.kind === kind);
  expect(incidents).toHaveLength(1);
  const [incident] = incidents;
  if (incident === undefined) throw new Error('no incident');
  expect(incident.settled).toBe(true);
  return incident;
}

export const FALL_S = 15;

export const isLater = (timeS: number): boolean => timeS > FALL_S;

/**
 * The incident of a call whose sending rate falls to a quarter. Apart from the rate, the call has the state `before`
 * until the fall, and `later` after it.
 */
export const whySent = (later: Moment, before: Moment = {}): Incident =>
  only(
    seen('send', 30, (timeS) => (isLater(timeS) ? { bps: 2.5e5, ...later } : before)),
    'rate-fall',
  );

export const whyReceived = (later: Moment, before: Moment = {}): Incident =>
  only(
    seen('receive', 30, (timeS) => (isLater(timeS) ? { bps: 2.5e5, ...later } : before)),
    'rate-fall',
  );

/**
 * Adds a controller that analyses the stream. For 3 s from `fromS`, frames wait in a queue, and every tenth
 * group signals overuse.
 */
export function beside(record: CallRecord, fromS: number, waitMs: number): CallRecord {
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

/** The counters, at `timeS`, of a received stream at 30 fps. */
export const stream = (ssrc: number, timeS: number, more: Partial<InboundStats> = {}): InboundStats => {
  const frames = Math.round(30 * timeS);
  return inbound({
    ...{ ssrc, mid: String(ssrc), bytesReceived: 5e4 * timeS, packetsReceived: 50 * timeS },
    ...{ framesReceived: frames, framesDecoded: frames, ...more },
  });
};

/** The record of a call that receives these streams, over a connection whose ICE checks are answered. */
export function receives(
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
export const dead = (ssrc: number): InboundStats => inbound({ ssrc, mid: String(ssrc) });

/**
 * A stream that arrives, but is no longer decoded after `fromS`. With `asks`, the receiver requests a key
 * frame each second.
 */
export const stuck = (ssrc: number, timeS: number, fromS: number, asks: boolean): InboundStats =>
  stream(ssrc, timeS, {
    framesDecoded: Math.round(30 * Math.min(timeS, fromS)),
    pliCount: asks ? Math.max(0, Math.floor(timeS - fromS)) : 0,
  });

/**
 * The number of frames that the source has produced so far: 30 per second, but 10 per second after FALL_S.
 */
export const slowing = (timeS: number): number =>
  30 * Math.min(timeS, FALL_S) + 10 * Math.max(0, timeS - FALL_S);

/**
 * Causes of a lower sending rate that are not in the link. Each function returns a state of the call that shows the
 * cause.
 */
export const BETTER: readonly (readonly [string, (timeS: number) => Moment])[] = [
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
export const onLink = (
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
