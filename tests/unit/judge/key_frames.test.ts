/** Whether a receiver waits for a key frame is inferred from the counters of getStats. */
import { describe, expect, it } from 'vitest';

import { judgeFreezes, judgeProved } from '../../../src/judge/index.js';
import { keyFrameWait } from '../../../src/judge/key_frames.js';
import { callRecord, inbound, outbound, samples, steady } from './synthetic.js';

/**
 * 30 frames per second. Between 5 s and 8 s no frame is decoded and, with `asks`, a key frame is requested
 * each second.
 */
const waits = (asks: boolean) =>
  samples(0, 20, (t) => ({
    bytesReceived: 5e4 * t,
    inbound: [
      inbound({
        bytesReceived: 5e4 * t,
        packetsReceived: 30 * t,
        framesDecoded: 30 * (t < 5 ? t : Math.max(5, t - 3)),
        pliCount: asks ? Math.min(3, Math.max(0, Math.ceil(t - 5))) : 0,
      }),
    ],
  }));

describe('waiting for a key frame', () => {
  it('is known by packets that come while nothing is decoded, and by requests', () => {
    const wait = keyFrameWait([waits(true)]);
    expect(wait).toMatchObject({ lastedUs: 3e6, requests: 3, packetsReceived: 90 });
    expect(keyFrameWait([waits(false)])).toBeNull();
    expect(keyFrameWait([waits(true).slice(0, 11)])).toBeNull();
  });

  it('is the cause of a freeze', () => {
    const sent = samples(0, 20, (t) => ({
      bytesSent: 5e4 * t,
      outbound: [outbound({ bytesSent: 5e4 * t, sourceFrames: 30 * t })],
    }));
    const record = callRecord({
      packets: steady(0, 20, 4e5),
      offerer: { samples: sent },
      answerer: { samples: waits(true), freezes: [{ fromUs: 5e6, toUs: 8e6 }] },
    });
    const asked = { record, view: {}, askedUs: 0, nowUs: 20e6 };
    const verdict = judgeProved(asked, 'video', (each) =>
      judgeFreezes(each, { overUs: 12e6, mode: 'once', longestUs: 1e6 }),
    );
    expect(verdict).toMatchObject({ pass: false, settled: true, cause: { kind: 'waiting-for-key-frame' } });
    expect(verdict.cause?.evidence).toMatch(
      /got 90 packets but decoded no frame for 3 s, .* 3 times \(PLI\)/,
    );
  });
});
