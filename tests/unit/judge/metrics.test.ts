import { describe, expect, it } from 'vitest';

import { callMetrics, jainIndex, pathsOf } from '../../../src/judge/index.js';
import { inboundGrowth } from '../../../src/judge/growth.js';
import { callRecord, endpoint, frames, inbound, sample, samples, steady, videoSamples } from './synthetic.js';

const between = (fromS: number, toS: number) => ({ fromUs: fromS * 1e6, toUs: toS * 1e6 });

describe('metrics of a call from getStats', () => {
  it.each([
    ['sender', 40, 39.5],
    ['receiver', 39.5, 40],
  ])(
    'have both rates and the utilisation, whichever page was sampled last: the %s',
    (_, sentS, receivedS) => {
      const { sent } = videoSamples(0, sentS, 9e5);
      const { received } = videoSamples(0, receivedS, 9e5);
      const record = callRecord({
        backend: 'devtools',
        offerer: { samples: sent },
        answerer: { samples: received },
      });
      const { sentBps, receivedBps } = callMetrics(record);
      expect(sentBps).toBeCloseTo(9e5, -4);
      expect(receivedBps).toBeCloseTo(9e5, -4);
    },
  );
});

describe('the freezes of a call', () => {
  const { sent, received } = videoSamples(0, 20, 4e5);
  const freezesOf = (answerer: Parameters<typeof callRecord>[0]['answerer']) => {
    const record = callRecord({
      packets: steady(0, 20, 4e5),
      offerer: { samples: sent },
      ...(answerer && { answerer }),
    });
    const { freezes, longestFreezeMs, frozenMs } = callMetrics(record);
    return [freezes, longestFreezeMs, frozenMs];
  };

  it('are those of the video that was received, or none', () => {
    expect(freezesOf({ samples: received })).toEqual([0, 0, 0]);
    const both = [
      { fromUs: 4e6, toUs: 5e6 },
      { fromUs: 8e6, toUs: 10e6 },
    ];
    expect(freezesOf({ samples: received, freezes: both })).toEqual([2, 2000, 3000]);
  });

  it.each<[string, (at: number) => ReturnType<typeof inbound>[]]>([
    ['no stream came', () => []],
    ['a stream was announced and never came', () => [inbound()]],
    ['audio came alone', (at) => [inbound({ kind: 'audio', bytesReceived: 4000 * at })]],
  ])('are unknown where %s', (_, streams) => {
    expect(freezesOf({ samples: samples(0, 20, (at) => ({ inbound: streams(at) })) })).toEqual([
      null,
      null,
      null,
    ]);
  });
});

describe('metrics of a call from its packets', () => {
  it('integrates a capacity that changes', () => {
    // 1 Mbps until 4 s, then 500 kbps: the link can carry (2 * 1 + 4 * 0.5) Mbit in (2 s, 8 s]. 300 kbps are
    // sent: 1.8 Mbit.
    const capacity = [
      { atS: 0, bps: 1e6 },
      { atS: 4, bps: 5e5 },
    ];
    const metrics = callMetrics(callRecord({ packets: steady(0, 10, 3e5), capacity }), {}, between(2, 8));
    expect(metrics).toMatchObject({ source: 'packets', queueDelayEstimated: false });
    expect(metrics.capacityBps).toBeCloseTo(4e6 / 6, 3);
    expect(metrics.utilisation).toBeCloseTo(0.45, 6);
    expect(metrics.receivedBps).toBeCloseTo(3e5, -4);
  });

  it('counts only its own flows, and the link with all', () => {
    const packets = [...steady(0, 10, 3e5), ...steady(0, 10, 5e5, { flow: 2 })];
    const record = callRecord({ packets });
    const row = (timeS: number) => ({
      link: 0,
      time_us: timeS * 1e6,
      queue_delay_us: 0,
      queue_bytes: 0,
      capacity_bps: 1e6,
      drops: 0,
      delivered_bytes: (timeS * 8e5) / 8,
    });
    record.link?.forward?.rows.push(row(0), row(5), row(10));
    const metrics = callMetrics(record, {}, between(0, 10));
    expect(metrics.utilisation).toBeCloseTo(0.3, 2);
    expect(metrics.pathUtilisation).toBeCloseTo(0.8, 6);
  });

  it('counts lost bytes over those that were lost or got through', () => {
    // In (0 s, 10 s], 100 packets of 1250 bytes get through and 20 of 500 bytes are lost: 10,000 of 135,000
    // bytes.
    const lost = Array.from({ length: 20 }, (_, i) => ({
      departS: 0.25 + i / 4,
      sizeBytes: 500,
      dropped: 'random-loss' as const,
    }));
    const record = callRecord({ packets: [...steady(0, 10, 1e5), ...lost] });
    expect(callMetrics(record, {}, between(0, 10)).lossRatio).toBeCloseTo(1e4 / 135e3, 9);
  });

  it('takes percentiles of the delays of what got through, by nearest rank', () => {
    // 100 packets in (0 s, 10 s], of which the k-th waits for k ms.
    const packets = Array.from({ length: 100 }, (_, k) => ({ departS: (k + 1) / 10, queueDelayMs: k + 1 }));
    const metrics = callMetrics(callRecord({ packets }), {}, between(0, 10));
    expect(metrics).toMatchObject({
      queueDelayP50Ms: 50,
      queueDelayP95Ms: 95,
      queueDelayP99Ms: 99,
      queueDelayMaxMs: 100,
    });
  });

  it('sees what a packet of the window was offered before', () => {
    // A packet that is offered in (0 s, 10 s] but departs at 10.2 s counts as sent, but not as received.
    const packets = [{ departS: 10.2, queueDelayMs: 500 }];
    const metrics = callMetrics(callRecord({ packets }), {}, between(0, 10));
    expect(metrics.sentBps).toBeCloseTo(1000, 9);
    expect(metrics.receivedBps).toBe(0);
  });
});

describe('metrics of a call without a record of packets', () => {
  it('takes rates and losses from getStats', () => {
    const lossy = samples(0, 10, (t) => ({
      inbound: [
        inbound({
          bytesReceived: t * 1e5,
          packetsReceived: t * 90,
          packetsLost: t * 10,
          framesDecoded: t * 25,
        }),
      ],
    }));
    const record = callRecord({
      backend: 'none',
      answerer: { samples: lossy },
      offerer: { samples: videoSamples(0, 10, 1e6).sent },
    });
    const metrics = callMetrics(record, {}, between(2, 8));
    expect(metrics).toMatchObject({ source: 'getStats', capacityBps: null, utilisation: null });
    expect(metrics.receivedBps).toBeCloseTo(8e5, 3);
    expect(metrics.lossRatio).toBeCloseTo(0.1, 9);
    expect(metrics.framesPerSecond).toBeCloseTo(25, 9);
    expect(metrics.sentBps).toBeCloseTo(1e6, 3);
  });

  it('estimates the queue from frames: one-way delay over the least of the stream', () => {
    // 20 frames per second. The clocks of sender and receiver differ, the path takes 30 ms, and frames after 5 s wait
    // another 80 ms. RTP timestamps begin just below the value at which they wrap.
    const wrapS = 2 ** 32 / 90_000;
    const list = Array.from({ length: 200 }, (_, i) => ({
      arrivalS: i / 20 + 0.03 + (i >= 100 ? 0.08 : 0),
      sentS: wrapS - 1 + i / 20,
    }));
    const record = callRecord({ backend: 'none', answerer: { frames: frames(list), samples: [sample(11)] } });
    const metrics = callMetrics(record, {}, between(0, 11));
    expect(metrics.queueDelayEstimated).toBe(true);
    expect(metrics.queueDelayMaxMs).toBeCloseTo(80, 1);
    expect(metrics.queueDelayP50Ms).toBeCloseTo(0, 1);
    expect(callMetrics(record, {}, between(6, 11)).queueDelayP50Ms).toBeCloseTo(80, 1);
  });

  it('estimates it from the round-trip time where there is no frame timing', () => {
    const rtts = samples(0, 10, (t) => ({ rttS: t < 5 ? 0.05 : 0.17 }));
    const answerer = { frameSource: 'getStats' as const };
    const record = callRecord({ backend: 'none', offerer: { samples: rtts }, answerer });
    expect(callMetrics(record, {}, between(6, 10)).queueDelayP95Ms).toBeCloseTo(120, 6);
  });

  it('does not count down when counters are reset', () => {
    // The counter counts 100 kB/s for 5 s, and then starts from zero again.
    const restarted = samples(0, 10, (t) => ({ bytesReceived: t < 5 ? t * 1e5 : (t - 5) * 1e5 }));
    const record = callRecord({ backend: 'none', answerer: { samples: restarted } });
    // The half second in which the counter restarted is left out, so 9.5 s of the 10 s are counted.
    expect(callMetrics(record, {}, between(0, 10)).receivedBps).toBeCloseTo(7.6e5, 3);
  });
});

describe('the growth of a counter', () => {
  /** An endpoint that receives 1000 packets a second, but is away from 4 s to 6 s. `back` is its count after that. */
  const receiver = (back: (timeS: number) => number) =>
    endpoint(1, 0, {
      samples: samples(0, 10, (t) => ({
        inbound: t > 4 && t < 6 ? [] : [inbound({ packetsReceived: t > 4 ? back(t) : t * 1000 })],
      })),
    });
  const grown = (of: ReturnType<typeof receiver>, fromS: number, toS: number): number =>
    inboundGrowth(of, between(fromS, toS), ({ packetsReceived }) => packetsReceived);

  it('counts a stream up to its last sample in the window', () => {
    const stopped = receiver((t) => 4000 + (t - 6) * 1000);
    expect(grown(stopped, 1, 5)).toBe(3000);
    expect(grown(stopped, 4.5, 5.5)).toBe(0);
  });

  it('counts a stream that comes back from where it stopped, or from 0 if its counter was reset', () => {
    const goesOn = receiver((t) => 4000 + (t - 6) * 1000);
    const restarts = receiver((t) => (t - 6) * 1000);
    for (const each of [goesOn, restarts]) {
      expect(grown(each, 1, 8)).toBe(5000);
      expect(grown(each, 5, 8)).toBe(2000);
      expect(grown(each, 7, 9)).toBe(2000);
    }
  });

  it('may be negative, since packets that were counted as lost may arrive', () => {
    const late = endpoint(1, 0, {
      samples: samples(0, 4, (t) => ({ inbound: [inbound({ packetsLost: t < 2 ? 9 : 5 })] })),
    });
    expect(inboundGrowth(late, between(1, 3), ({ packetsLost }) => packetsLost)).toBe(-4);
  });
});

describe('views', () => {
  it('judges the direction that carried more media', () => {
    const { sent, received } = videoSamples(0, 10, 9e5);
    const small = videoSamples(0, 10, 1e5);
    const both = (one: typeof sent, other: typeof received) =>
      one.map((s, i) => ({ ...s, inbound: other[i]?.inbound ?? [] }));
    // The answerer sends 900 kbps, the offerer 100 kbps.
    const record = callRecord({
      offerer: { samples: both(small.sent, received) },
      answerer: { samples: both(sent, small.received) },
    });
    const { encoderTargetBps: _, ...metrics } = callMetrics({ ...record, link: null }, {}, between(1, 9));
    expect(metrics.sentBps).toBeCloseTo(9e5, 3);
    const forward = callMetrics({ ...record, link: null }, { direction: 'forward' }, between(1, 9));
    expect(forward.sentBps).toBeCloseTo(1e5, 3);
    const byPage = callMetrics({ ...record, link: null }, { sentBy: 0 }, between(1, 9));
    expect(byPage.sentBps).toBeCloseTo(1e5, 3);
    // If both ends are in one page, that page sends in both directions. The busier direction counts.
    const endpoints = record.endpoints.map((each) => ({ ...each, page: 0 }));
    const loopback = callMetrics({ ...record, endpoints, link: null }, { sentBy: 0 }, between(1, 9));
    expect(loopback.sentBps).toBeCloseTo(9e5, 3);
  });

  it('still judges that direction when its streams have left getStats', () => {
    // The offerer's video of 900 kbps ends at 8 s, and its streams disappear. The answerer goes on with 100 kbps.
    const main = videoSamples(0, 10, 9e5);
    const small = videoSamples(0, 10, 1e5);
    const isOver = (timeUs: number): boolean => timeUs > 8e6;
    const record = callRecord({
      backend: 'none',
      offerer: {
        samples: main.sent.map((s, i) => ({
          ...s,
          outbound: isOver(s.timeUs) ? [] : s.outbound,
          inbound: small.received[i]?.inbound ?? [],
        })),
      },
      answerer: {
        samples: small.sent.map((s, i) => ({
          ...s,
          inbound: isOver(s.timeUs) ? [] : (main.received[i]?.inbound ?? []),
        })),
      },
    });
    const directions = (): string[] => pathsOf(record, {}).map(({ direction }) => direction);
    expect(directions()).toEqual(['forward']);
    // The record goes on growing: what the answerer sends counts from its new samples, too.
    const [offerer, answerer] = record.endpoints;
    const received = inbound({ ssrc: 12, bytesReceived: 9e6 });
    offerer?.samples.push(sample(11, { inbound: [received] }));
    expect(directions()).toEqual(['backward']);
    // Dropped samples do not count.
    offerer?.samples.splice(0);
    answerer?.samples.splice(0, 12);
    expect(directions()).toEqual(['forward']);
  });

  it('adds up what a page sends on several connections', () => {
    const record = callRecord({
      packets: [
        ...steady(0, 10, 2e5),
        ...steady(0, 10, 3e5, { flow: 2 }),
        ...steady(0, 10, 4e5, { flow: 3 }),
      ],
    });
    record.endpoints.push(endpoint(2, 0, { page: 0 }), endpoint(3, 0, { page: 2 }));
    record.connections.push({ id: 1, offerer: 2, answerer: 3, flows: [2] });
    expect(callMetrics(record, { sentBy: 0 }, between(0, 10)).receivedBps).toBeCloseTo(5e5, -4);
    expect(callMetrics(record, { page: 2 }, between(0, 10)).receivedBps).toBeCloseTo(3e5, -4);
    expect(callMetrics(record, { page: 9 }, between(0, 10)).receivedBps).toBeNull();
  });
});

/** Random numbers in [0, 1): a given seed yields the same sequence in every run. */
function* numbers(seed: number): Generator<number, never> {
  for (let state = seed; ;) {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    yield state / 2 ** 32;
  }
}

describe('what holds for every serial link', () => {
  // Packets of random sizes and arrival times leave the link one after the other, at 1 Mbps.
  const random = numbers(7);
  const next = (): number => random.next().value;
  let [arrivalS, freeS] = [0, 0];
  const packets = Array.from({ length: 3000 }, () => {
    arrivalS += next() < 0.1 ? next() * 0.2 : next() * 0.01;
    const sizeBytes = 50 + Math.floor(next() * 1200);
    const startS = Math.max(arrivalS, freeS);
    freeS = startS + (sizeBytes * 8) / 1e6;
    return { departS: freeS, sizeBytes, queueDelayMs: (startS - arrivalS) * 1e3 };
  });
  const record = callRecord({ packets });
  const windows = Array.from({ length: 200 }, () => {
    const fromS = next() * freeS;
    return between(fromS, fromS + 0.05 + next() * 10);
  });

  it('carries no more than its capacity, but for a packet on the way', () => {
    const packetBits = 1250 * 8;
    for (const window of windows) {
      const { utilisation } = callMetrics(record, {}, window);
      const bits = window.toUs - window.fromUs;
      expect(utilisation).toBeGreaterThanOrEqual(0);
      expect(utilisation).toBeLessThanOrEqual(1 + packetBits / bits);
    }
  });

  it('orders percentiles', () => {
    for (const window of windows) {
      const m = callMetrics(record, {}, window);
      const ordered = [m.queueDelayP50Ms, m.queueDelayP95Ms, m.queueDelayP99Ms, m.queueDelayMaxMs].filter(
        (ms) => ms !== null,
      );
      expect(ordered).toEqual([...ordered].sort((x, y) => x - y));
    }
  });

  it('adds up over windows that follow each other', () => {
    for (const { fromUs, toUs } of windows) {
      const middleUs = fromUs + next() * (toUs - fromUs);
      const bits = (from: number, to: number) =>
        ((callMetrics(record, {}, { fromUs: from, toUs: to }).receivedBps ?? 0) * (to - from)) / 1e6;
      expect(bits(fromUs, middleUs) + bits(middleUs, toUs)).toBeCloseTo(bits(fromUs, toUs), 3);
    }
  });
});

describe("Jain's index", () => {
  it('is 1 for equal rates, 1/n for one that has everything, and the square of means over the mean of squares', () => {
    expect(jainIndex([3, 3, 3])).toBeCloseTo(1, 12);
    expect(jainIndex([5, 0, 0, 0])).toBeCloseTo(0.25, 12);
    expect(jainIndex([1, 3])).toBeCloseTo(16 / 20, 12);
  });
});
