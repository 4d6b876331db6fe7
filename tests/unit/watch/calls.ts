/** The reports of a page's observer about a call of any length. Each run yields the same reports. */
import type { PageBatch, PageMessage, StatsSample } from '../../../src/inject/protocol.js';
import { inbound, outbound, sample } from '../judge/synthetic.js';

/** Pseudo-random numbers from 0 to 1 (mulberry32): a given seed yields the same sequence on every machine. */
export function randomNumbers(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let z = Math.imul(state ^ (state >>> 15), 1 | state);
    z = (z + Math.imul(z ^ (z >>> 7), 61 | z)) ^ z;
    return ((z ^ (z >>> 14)) >>> 0) / 2 ** 32;
  };
}

const FRAME_US = 1e6 / 30;
const FRAMES_PER_BATCH = 15;
const RTP_PER_FRAME = 3000;

interface Received {
  ssrc: number;
  frames: number;
  bytes: number;
  packets: number;
  lost: number;
  /** The time at which the bottleneck will have sent all packets that have arrived so far. */
  freeUs: number;
}

function frameRow(stream: Received, random: () => number): number[] {
  const sentUs = stream.frames * FRAME_US;
  const isKey = stream.frames % 300 === 0;
  const sizeBytes = Math.round((isKey ? 20_000 : 4_000) * (0.7 + 0.6 * random()));
  // The capacity changes, so that queues grow, overflow and drain.
  const capacityBps = [1.4e6, 0.8e6, 2.5e6][Math.floor(sentUs / 20e6) % 3] ?? 1e6;
  stream.freeUs = Math.min(Math.max(stream.freeUs, sentUs) + (sizeBytes * 8e6) / capacityBps, sentUs + 4e5);
  const arrivalUs = Math.round(stream.freeUs + 25_000 + 2_000 * random());
  const rtpTimestamp = (2 ** 32 - 90_000 + stream.frames * RTP_PER_FRAME) % 2 ** 32;
  const temporalIndex = stream.frames % 2;
  stream.frames += 1;
  if (random() < 0.02) stream.lost += 1;
  stream.packets += Math.ceil(sizeBytes / 1200);
  stream.bytes += sizeBytes;
  return [stream.ssrc, rtpTimestamp, arrivalUs, sizeBytes, isKey ? 1 : 0, 0, temporalIndex];
}

function sampleOf(timeUs: number, streams: readonly Received[]): StatsSample {
  return {
    ...sample(timeUs / 1e6, {
      inbound: streams.map(({ ssrc, bytes, packets, lost, frames }) =>
        inbound({
          ...{ ssrc, bytesReceived: bytes, headerBytesReceived: 12 * packets, packetsReceived: packets },
          ...{ packetsLost: lost, framesReceived: frames, framesDecoded: frames },
        }),
      ),
      outbound: streams.map(({ ssrc, bytes, packets, frames }) =>
        outbound({ ssrc: ssrc + 100, bytesSent: bytes, packetsSent: packets, framesEncoded: frames }),
      ),
    }),
    timeUs,
  };
}

/** Two batches per second, of one connection that sends and receives this many video streams at 30 fps. */
export function* batchesOf(seconds: number, streamCount: number, seed = 1): Generator<PageBatch> {
  const random = randomNumbers(seed);
  const streams: Received[] = Array.from({ length: streamCount }, (_, i) => ({
    ...{ ssrc: i + 1, frames: 0, bytes: 0, packets: 0, lost: 0, freeUs: 0 },
  }));
  for (let batch = 0; batch < 2 * seconds; batch++) {
    const rows = streams.flatMap((stream) =>
      Array.from({ length: FRAMES_PER_BATCH }, () => frameRow(stream, random)).flat(),
    );
    // The batch's time is more than 0.5 s after its last frame was sent, so that all its frames have arrived.
    const timeUs = Math.round((batch + 1) * FRAMES_PER_BATCH * FRAME_US + 5e5);
    const begin: PageMessage[] = [
      { type: 'endpoint', endpoint: 0, timeUs: 0 },
      { type: 'state', endpoint: 0, timeUs: 0, state: 'connected' },
      { type: 'source', endpoint: 0, source: 'transform' },
    ];
    yield {
      window: 'window',
      url: 'https://example.org/',
      timeUs,
      messages: [
        ...(batch === 0 ? begin : []),
        { type: 'frames', endpoint: 0, rows },
        { type: 'sample', endpoint: 0, sample: sampleOf(timeUs, streams) },
      ],
    };
  }
}
