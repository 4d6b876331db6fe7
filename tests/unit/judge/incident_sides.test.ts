/** Which cause is found if the record contains both ends of a call, or the link. */
import { describe, expect, it } from 'vitest';

import type { CallRecord, OutboundStats, StatsSample } from '../../../src/calls/record/record.js';
import {
  groupsOf,
  incidentsOf,
  largestGroups,
  toldIncidents,
  type Incident,
} from '../../../src/judge/incidents/index.js';
import { callRecord, inbound, outbound, sample } from './synthetic.js';

const STEP_S = 0.5;
const FALL_S = 15;
const isLater = (timeS: number): boolean => timeS > FALL_S;

interface Moment {
  bps?: number;
  availableOutgoingBps?: number;
  rttS?: number;
  height?: number;
  stream?: Partial<OutboundStats>;
}

/** A call from page 0 to page 1 over a link of 600 kbps, seen at both ends. */
function call(
  at: (timeS: number) => Moment,
  more: { capacity?: { atS: number; bps: number }[]; queueMs?: (timeS: number) => number } = {},
): CallRecord {
  const { capacity = [{ atS: 0, bps: 6e5 }], queueMs = () => 2 } = more;
  const [sent, received]: [StatsSample[], StatsSample[]] = [[], []];
  let bytes = 0;
  for (let timeS = 0; timeS <= 40; timeS += STEP_S) {
    const { bps = 4e5, availableOutgoingBps = 6e5, rttS = 0.08, height = 360, stream } = at(timeS);
    bytes += (bps * STEP_S) / 8;
    const frames = Math.round(30 * timeS);
    const common = { rttS, bytesReceived: timeS * 1e4, checksAnswered: timeS };
    const picture = { frameHeight: height, frameWidth: (height * 16) / 9 };
    sent.push(
      sample(timeS, {
        ...common,
        availableOutgoingBps,
        outbound: [
          outbound({
            ...{ bytesSent: bytes, packetsSent: bytes / 1000, framesEncoded: frames, sourceFrames: frames },
            ...{ targetBps: bps, roundTripTimeS: rttS, reportTimeUs: timeS * 1e6, ...picture, ...stream },
          }),
        ],
      }),
    );
    received.push(
      sample(timeS, {
        ...{ ...common, bytesReceived: bytes },
        inbound: [
          inbound({
            ...{ bytesReceived: bytes, packetsReceived: bytes / 1000 },
            ...{ framesReceived: frames, framesDecoded: frames, ...picture },
          }),
        ],
      }),
    );
  }
  const record = callRecord({
    ...{ capacity, connectedS: -5, offerer: { samples: sent }, answerer: { samples: received } },
  });
  const forward = record.link?.forward;
  if (forward)
    forward.rows = Array.from({ length: 400 }, (_, i) => ({
      ...{ link: 0, time_us: i * 1e5, queue_delay_us: queueMs(i / 10) * 1e3, queue_bytes: 0 },
      ...{ capacity_bps: 6e5, drops: 0, delivered_bytes: 0 },
    }));
  return record;
}

/**
 * The fall at the sender, and the fall at the receiver. Fails unless the record has exactly these two falls.
 */
function falls(record: CallRecord): [Incident, Incident] {
  const found = incidentsOf(record).filter(({ kind }) => kind === 'rate-fall');
  const sent = found.find(({ stream }) => stream.direction === 'send');
  const received = found.find(({ stream }) => stream.direction === 'receive');
  expect(found).toHaveLength(2);
  if (sent === undefined || received === undefined) throw new Error('a fall is missing');
  return [sent, received];
}

describe('a receiver whose sender is in the record', () => {
  it("names the sender's own reason, not a layer that a server dropped", () => {
    const [sent, received] = falls(
      call((timeS) =>
        isLater(timeS)
          ? {
              ...{ bps: 2.6e5, availableOutgoingBps: 4.5e5 - 1e3 * timeS, height: 270 },
              stream: { qualityLimitationReason: 'bandwidth' },
            }
          : {},
      ),
    );
    expect(sent.cause.kind).toBe('overuse');
    expect(received.cause.kind).toBe('overuse');
    expect(received.cause.evidence).toBe(`At the sender: ${sent.cause.evidence}`);
  });

  it('names a cap of the sender', () => {
    const [, received] = falls(
      call((timeS) => (isLater(timeS) ? { bps: 2e5, stream: { maxBitrateBps: 2e5, targetBps: 2e5 } } : {})),
    );
    expect(received.cause.kind).toBe('cap');
  });

  it('keeps its own cause if it saw the path: a longer round trip', () => {
    const [, received] = falls(
      call((timeS) =>
        isLater(timeS) ? { bps: 2e5, rttS: 0.3, stream: { maxBitrateBps: 2e5, targetBps: 2e5 } } : {},
      ),
    );
    expect(received.cause.kind).toBe('overuse');
  });
});

describe('a freeze whose sender is in the record', () => {
  const frozen = (
    at: Parameters<typeof call>[0],
    more?: Parameters<typeof call>[1],
  ): Incident | undefined => {
    const record = call(at, more);
    const [receiver] = record.endpoints.filter(({ samples }) =>
      samples.some(({ inbound: all }) => all.length > 0),
    );
    const key = Number(receiver?.samples[0]?.inbound[0]?.ssrc);
    receiver?.freezes.push({ ssrc: key, fromUs: 19e6, toUs: 20e6 });
    return incidentsOf(record).find(({ kind }) => kind === 'freeze');
  };

  it('is not explained by a source that needs less than the encoder may use', () => {
    const found = frozen(() => ({ bps: 1.5e5, stream: { targetBps: 6e5 } }));
    expect(found?.cause.kind).toBe('unknown');
  });

  it('is explained by a narrower link only if packets wait for it', () => {
    const capacity = [
      { atS: 0, bps: 6e5 },
      { atS: 16, bps: 4e5 },
    ];
    expect(frozen(() => ({}), { capacity })?.cause.kind).toBe('unknown');
    const queueMs = (timeS: number): number => (timeS > 17 ? 900 : 2);
    expect(frozen(() => ({}), { capacity, queueMs })?.cause.kind).toBe('capacity');
  });
});

describe('a sender whose far side is a page in the record', () => {
  const still = (timeS: number): Moment =>
    isLater(timeS)
      ? {
          ...{ bps: 4.3e5, availableOutgoingBps: 4.53e5 },
          stream: { targetBps: 4.4e5, qualityLimitationReason: 'bandwidth' },
        }
      : { bps: 5.8e5, availableOutgoingBps: 6.07e5 };

  it('is not limited by REMB, although the estimate fell and stays there', () => {
    const [sent] = falls(call(still));
    expect(sent.cause.kind).toBe('overuse');
    expect(sent.cause.evidence).toContain('lowered its estimate from 607 kbps to 453 kbps');
    expect(sent.cause.evidence).toContain('shows no queue');
  });

  it('is, if the far side is not in the record', () => {
    const record = call(still);
    record.connections = [];
    expect(falls(record)[0].cause.kind).toBe('far-side-limited');
  });
});

describe('the link of the record', () => {
  it('is the cause if it was narrowed', () => {
    const narrowed = call((timeS) => (timeS > 16 ? { bps: 2.4e5, availableOutgoingBps: 2.6e5 } : {}), {
      capacity: [
        { atS: 0, bps: 6e5 },
        { atS: FALL_S, bps: 3e5 },
      ],
    });
    for (const { cause } of falls(narrowed)) {
      expect(cause.kind).toBe('capacity');
      expect(cause.evidence).toContain("The link's capacity was lowered from 600 kbps to 300 kbps at 15 s");
    }
  });

  it('is not, if it still carries what was sent, or was narrowed long before or only afterwards', () => {
    const capacities = [
      [FALL_S + 3, 3e5],
      [FALL_S, 5e5],
      [FALL_S - 10, 3e5],
    ] as const;
    for (const [atS, bps] of capacities) {
      const record = call((timeS) => (timeS > 16 ? { bps: 2.4e5, availableOutgoingBps: 2.6e5 } : {}), {
        capacity: [
          { atS: 0, bps: 6e5 },
          { atS, bps },
        ],
      });
      for (const { cause } of falls(record)) expect(cause.kind).not.toBe('capacity');
    }
  });

  it('is named beside a machine that was too busy, although it still carries what was sent', () => {
    const record = call((timeS) => (timeS > 16 ? { bps: 2.4e5, availableOutgoingBps: 2.6e5 } : {}), {
      capacity: [
        { atS: 0, bps: 6e5 },
        { atS: FALL_S, bps: 5e5 },
      ],
    });
    for (let second = 1; second <= 30; second++) record.late.push({ timeUs: second * 1e6, lateMs: 90 });
    for (const { cause } of falls(record)) {
      expect(cause.kind).toBe('machine-overloaded');
      expect(cause.evidence).toMatch(
        /callbacks come 90 ms late.* lowered from 600 kbps to 500 kbps at 15 s\.$/,
      );
    }
  });

  it('shows a queue that the round trip does not', () => {
    const [sent, received] = falls(
      call((timeS) => (isLater(timeS) ? { bps: 2e5, stream: { targetBps: 3.9e5 } } : {}), {
        queueMs: (timeS) => (timeS > 14 && timeS < 16 ? 180 : 3),
      }),
    );
    expect([sent.cause.kind, received.cause.kind]).toEqual(['overuse', 'overuse']);
    expect(sent.cause.evidence).toBe(
      'A queue grew at the link: packets waited for up to 180 ms, instead of the usual 3 ms.',
    );
  });
});

describe('a rise of the round trip', () => {
  const rises = (rttS: (timeS: number) => Moment): Incident[] => {
    const record = call(rttS);
    record.connections = [];
    return incidentsOf(record).filter(
      ({ kind, stream }) => kind === 'delay-rise' && stream.direction === 'send',
    );
  };

  it('needs two measurements: samples repeat the latest one', () => {
    const once = (timeS: number): Moment => {
      const isHigh = timeS >= 15 && timeS < 16;
      return { rttS: isHigh ? 0.24 : 0.07, stream: { reportTimeUs: Math.floor(timeS) * 1e6 } };
    };
    expect(rises(once)).toEqual([]);
  });

  it('is measured from the lowest value, not from an earlier rise', () => {
    const twice = (timeS: number): Moment => {
      const rttS = timeS > 10 && timeS < 18 ? 0.232 : timeS > 20 && timeS < 24 ? 0.16 : 0.07;
      return { rttS };
    };
    const second = rises(twice).at(-1);
    expect(second?.fromUs).toBe(20.5e6);
    expect(second?.cause.kind).toBe('overuse');
    expect(second?.cause.evidence).toContain('the round trip rose by 90 ms to 160 ms');
  });
});

describe('an incident before anything was usual', () => {
  it('says so, and names no unknown value', () => {
    const record = call(() => ({}));
    const [, receiver] = record.endpoints;
    if (receiver === undefined) throw new Error('no receiver');
    receiver.states = receiver.states.map(({ state }) => ({ timeUs: -1e6, state }));
    receiver.freezes = [{ fromUs: 1.6e6, toUs: 2.4e6, ssrc: 11 }];
    record.connections = [];
    const [freeze] = incidentsOf(record);
    expect(freeze?.cause.kind).toBe('unknown');
    expect(freeze?.cause.evidence).not.toContain('usually');
    expect(freeze?.cause.evidence).toContain('It is too early in the call for a comparison');
  });
});

describe('incidents of one event', () => {
  const told = toldIncidents(
    call((timeS) => (isLater(timeS) ? { bps: 2e5, stream: { maxBitrateBps: 2e5, targetBps: 2e5 } } : {})),
    incidentsOf(
      call((timeS) => (isLater(timeS) ? { bps: 2e5, stream: { maxBitrateBps: 2e5, targetBps: 2e5 } } : {})),
    ),
    (endpoint) => `page ${endpoint + 1}`,
  );

  it('are told together, in time order, with the names of their streams', () => {
    const [group, ...more] = groupsOf(told);
    expect(more).toEqual([]);
    expect([group?.first.who, ...(group?.also ?? []).map(({ who }) => who)].sort()).toEqual([
      'page 1 sends video',
      'page 2 receives video',
    ]);
  });

  it('are apart if they are of another cause, another time or another call', () => {
    const [one] = told;
    if (one === undefined) throw new Error('no incident');
    const others = [
      { ...one, cause: { ...one.cause, kind: 'loss' as const } },
      { ...one, fromUs: one.fromUs + 4e6 },
      { ...one, connection: 7 },
    ];
    for (const other of others) expect(groupsOf([one, other])).toHaveLength(2);
    const groups = groupsOf([one, ...others]);
    expect(largestGroups(groups, 2)).toHaveLength(2);
  });
});
