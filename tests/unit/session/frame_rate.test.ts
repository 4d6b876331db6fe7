/** The frame rate of the received video, from readings of the browser's counter. */
import { describe, expect, it } from 'vitest';

import { receivedFps, withReading, type DecodedFrames } from '../../../src/app/session/frame_rate.js';

const readings = (...counts: number[]): readonly DecodedFrames[] =>
  counts.reduce<readonly DecodedFrames[]>(
    (all, framesDecoded, second) => withReading(all, { timeMs: second * 1000, framesDecoded }),
    [],
  );

describe('the received frame rate', () => {
  it('is the average of the last three seconds', () => {
    // In the five seconds, 30, 35, 1, 30 and 29 frames arrived.
    expect(receivedFps(readings(0, 30, 65, 66, 96, 125))).toBeCloseTo((125 - 65) / 3);
  });

  it('is 0 while the video stands still', () => {
    expect(receivedFps(readings(90, 90))).toBe(0);
  });

  it('is unknown before the second reading, without a counter, and after the counter was restarted', () => {
    expect(receivedFps(readings())).toBeNaN();
    expect(receivedFps(readings(30))).toBeNaN();
    expect(receivedFps(readings(30, NaN))).toBeNaN();
    expect(receivedFps(readings(300, 2))).toBeNaN();
    expect(receivedFps(readings(300, 2, 32))).toBe(30);
  });
});
