/** Which frames are marked in the delay chart of a received stream, and where. */
import { expect, it } from 'vitest';

import { keyFrameMs, overtakenFrameMs, upperLayerMs } from '../../src/charts/stream_charts.js';

/** Frames in the order of arrival. Each has its send time and its arrival time in ms, and a flag: 1 for a key frame. */
const FRAMES = [
  [0, 0, 1],
  [33, 40, 0],
  // The frame sent at 67 ms is lost and retransmitted, so it arrives after the next one.
  [100, 102, 0],
  [67, 150, 0],
  [133, 151, 0],
  [167, 190, 1],
] as const;

const column = (index: 0 | 1 | 2, scale: number): Float64Array =>
  Float64Array.from(FRAMES, (frame) => frame[index] * scale);
const columns = { send_time_us: column(0, 1e3), time_us: column(1, 1e3), key_frame: column(2, 1) };

it('marks key frames and overtaken ones at their delays, and no others', () => {
  const marks = (value: typeof keyFrameMs): number[] => FRAMES.map((_, row) => value(columns, row));
  expect(marks(keyFrameMs)).toEqual([0, NaN, NaN, NaN, NaN, 23]);
  expect(marks(overtakenFrameMs)).toEqual([NaN, NaN, NaN, 83, NaN, NaN]);
});

it('marks frames of upper spatial layers, which have the timestamp of the one below (webrtc-svc)', () => {
  const layered = {
    rtp_timestamp: Float64Array.of(0, 0, 3000, 3000, 3000, 6000),
    send_time_us: Float64Array.of(0, 0, 33e3, 33e3, 33e3, 67e3),
    time_us: Float64Array.of(5e3, 9e3, 40e3, 42e3, 47e3, 70e3),
  };
  const marks = Array.from(layered.time_us, (_, row) => upperLayerMs(layered, row));
  expect(marks).toEqual([NaN, 9, NaN, 9, 14, NaN]);
});
