import { describe, expect, it } from 'vitest';
import {
  FreezeWatch,
  readAudioBytes,
  readEncoder,
  readInbound,
  readOutbound,
  readPicture,
  readSource,
} from '../../../src/rtc/stats.js';

const report = (...stats: Record<string, unknown>[]) =>
  new Map(stats.map((stat, i) => [String(i), { id: String(i), timestamp: 5000, ...stat }])) as RTCStatsReport;

describe('readings of getStats', () => {
  it('count received bytes as on the wire: payload, headers, and 28 bytes of IP and UDP a packet', () => {
    const audio = { type: 'inbound-rtp', kind: 'audio', packetsReceived: 9, bytesReceived: 9 };
    const video = {
      type: 'inbound-rtp',
      kind: 'video',
      packetsReceived: 100,
      packetsLost: 3,
      bytesReceived: 110_000,
      headerBytesReceived: 2400,
    };
    expect(readInbound(report(audio, video))).toEqual({
      epochMs: 5000,
      packetsReceived: 100,
      packetsLost: 3,
      bytesReceived: 110_000 + 2400 + 2800,
    });
  });

  it('tell what the encoder does, and leave out what the browser does not say', () => {
    const sent = {
      type: 'outbound-rtp',
      kind: 'video',
      frameWidth: 640,
      frameHeight: 360,
      framesPerSecond: 30,
      framesEncoded: 90,
      qpSum: 3600,
      nackCount: 4,
      pliCount: 1,
      qualityLimitationReason: 'bandwidth',
    };
    const counters = { width: 640, height: 360, fps: 30, framesEncoded: 90, qpSum: 3600, nacks: 4, plis: 1 };
    expect(readEncoder(report(sent))).toEqual({ ...counters, limitedBy: 'bandwidth' });
    const { qpSum, limitedBy } = readEncoder(report({ type: 'outbound-rtp', kind: 'video' })) ?? {};
    expect([qpSum, limitedBy]).toEqual([NaN, null]);
    expect(readEncoder(report())).toBeNull();
  });

  it('say so when the browser leaves out what is needed', () => {
    expect(readInbound(report())).toBeNull();
    expect(readInbound(report({ type: 'inbound-rtp', kind: 'video', packetsReceived: 100 }))).toBeNull();
    expect(readOutbound(report({ type: 'outbound-rtp', kind: 'video' }))).toBeNull();
    expect(readPicture(report()).fps).toBeNaN();
  });

  it('take the estimate and the round trip of the pair in use, not of another', () => {
    const counters = readOutbound(
      report(
        { type: 'candidate-pair', nominated: true, availableOutgoingBitrate: 1, currentRoundTripTime: 9 },
        {
          type: 'candidate-pair',
          nominated: true,
          availableOutgoingBitrate: 3e6,
          currentRoundTripTime: 0.05,
        },
        { type: 'transport', selectedCandidatePairId: '1' },
        { type: 'outbound-rtp', kind: 'video', bytesSent: 1000, packetsSent: 10, headerBytesSent: 240 },
        { type: 'remote-inbound-rtp', kind: 'video', packetsLost: 4 },
        { type: 'media-source', kind: 'video', frames: 77, timestamp: 1_700_000_000_000.5 },
      ),
    );
    expect(counters).toEqual({
      sentBytes: 1000 + 240 + 280,
      packetsSent: 10,
      packetsLost: 4,
      rttUs: 50_000,
      browserEstimateBps: 3e6,
      sourceFrames: 77,
      epochMs: 1_700_000_000_000.5,
    });
  });

  it('add up the layers of simulcast', () => {
    const layer = {
      type: 'outbound-rtp',
      kind: 'video',
      bytesSent: 1000,
      packetsSent: 10,
      headerBytesSent: 0,
    };
    const lost = (packetsLost?: number) => ({ type: 'remote-inbound-rtp', kind: 'video', packetsLost });
    expect(readOutbound(report(layer, layer, lost(3), lost(), lost(4)))).toMatchObject({
      sentBytes: 2 * 1280,
      packetsSent: 20,
      packetsLost: 7,
    });
  });

  it('name what the encoder is given, and the codec', () => {
    const source = { type: 'media-source', kind: 'video', width: 1280, height: 720, framesPerSecond: 15 };
    const voice = { type: 'media-source', kind: 'audio', audioLevel: 0.1 };
    const codec = { type: 'codec', id: 'C', mimeType: 'video/VP9' };
    const other = { type: 'codec', id: 'D', mimeType: 'audio/opus' };
    const stream = { type: 'outbound-rtp', kind: 'video', codecId: 'C' };
    expect(readSource(report(voice, source, other, codec, stream))).toEqual({
      width: 1280,
      height: 720,
      fps: 15,
      codec: 'vp9',
    });
    expect(readSource(report())).toEqual({ width: NaN, height: NaN, fps: NaN, codec: null });
  });

  it('count the bytes of audio as on the wire, and those of the video beside it apart', () => {
    const video = { type: 'inbound-rtp', kind: 'video', packetsReceived: 9, bytesReceived: 9 };
    const audio = { type: 'inbound-rtp', kind: 'audio', packetsReceived: 50, bytesReceived: 4000 };
    expect(readAudioBytes(report(video, { ...audio, headerBytesReceived: 1000 }))).toBe(5000 + 50 * 28);
    expect(readAudioBytes(report(video))).toBeNaN();
  });

  it('find the longest freeze', () => {
    const watch = new FreezeWatch();
    const picture = { fps: 30, framesDecoded: 1, width: 1, height: 1, codec: null };
    for (const [freezeCount, totalFreezesDurationS] of [
      [0, 0],
      [1, 0.3],
      [1, 0.3],
      [2, 1.5],
      [3, 1.7],
    ] as const) {
      watch.see({ ...picture, freezeCount, totalFreezesDurationS });
    }
    expect(watch.longestS).toBeCloseTo(1.2);
  });
});
