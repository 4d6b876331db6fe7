/** Which received frames are passed to the controllers. */
import { expect, it } from 'vitest';

import { FrameArrivals } from '../../../src/worker/media/frame_arrivals.js';

const numbered = (frameSeq: number, rtpTimestamp: number | null, atUs: number) => ({
  trailer: { frameSeq, sendTimeUs: atUs - 25_000, rttUs: 50_000 },
  ...{ rtpTimestamp, arrivalTimeUs: atUs, sizeBytes: 1000, keyFrame: false },
});

const frame = (rtpTimestamp: number, arrivalTimeUs: number, spatialIndex?: number) => ({
  ...{ trailer: null, rtpTimestamp, arrivalTimeUs, sizeBytes: 1000, keyFrame: false },
  ...(spatialIndex !== undefined && { spatialIndex }),
});

it('each spatial layer of a picture is a frame, and copies are dropped (webrtc-svc)', () => {
  const arrivals = new FrameArrivals();
  const isTaken = (...of: Parameters<typeof frame>): boolean => arrivals.of(frame(...of)) !== null;
  expect([isTaken(3000, 1e6, 0), isTaken(3000, 1.01e6, 1), isTaken(3000, 1.02e6, 2)]).toEqual([
    true,
    true,
    true,
  ]);
  expect([isTaken(3000, 1.03e6, 1), isTaken(3000, 1.03e6, 0)]).toEqual([false, false]);
  // A stream without layers reports the spatial layer -1, or no layer.
  expect([isTaken(6000, 1.04e6, -1), isTaken(6000, 1.05e6), isTaken(6000, 1.06e6, 0)]).toEqual([
    true,
    false,
    false,
  ]);
});

it('a sender that attaches again counts from 0 again, and its frames are new', () => {
  const arrivals = new FrameArrivals();
  const isTaken = (...of: Parameters<typeof numbered>): boolean => arrivals.of(numbered(...of)) !== null;
  expect([isTaken(0, 3000, 1e6), isTaken(1, 6000, 1.03e6)]).toEqual([true, true]);
  expect([isTaken(0, 9000, 1.06e6), isTaken(1, 12_000, 1.1e6)]).toEqual([true, true]);
  // Copies are still dropped, also if the browser reports no RTP timestamp.
  expect([isTaken(1, 12_000, 1.11e6), isTaken(0, 3000, 1.12e6)]).toEqual([false, false]);
  expect([isTaken(2, null, 1.13e6), isTaken(2, null, 1.14e6)]).toEqual([true, false]);
});
