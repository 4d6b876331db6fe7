/** The frame rate of the received video, from the browser's counter of decoded frames. */

/** The rate is averaged over about this many seconds at most, so that the number is steady enough to read. */
export const FRAME_RATE_S = 3;

/** The number of frames that were decoded up to a time. */
export interface DecodedFrames {
  timeMs: number;
  framesDecoded: number;
}

/**
 * Adds a reading, and drops readings that are too old. If the new reading has no number of frames, returns an
 * empty list. If the counter was restarted, drops all earlier readings.
 */
export function withReading(
  decoded: readonly DecodedFrames[],
  reading: DecodedFrames,
): readonly DecodedFrames[] {
  const { timeMs, framesDecoded } = reading;
  if (Number.isNaN(framesDecoded)) return [];
  // Readings come about once a second, so the reading nearest to the wanted age may be half a second older.
  const longestMs = (FRAME_RATE_S + 0.5) * 1e3;
  const isRestarted = (decoded.at(-1)?.framesDecoded ?? 0) > framesDecoded;
  const kept = isRestarted ? [] : decoded.filter((each) => timeMs - each.timeMs <= longestMs);
  return [...kept, reading];
}

/** The frames per second between the first and the last reading; NaN if there are fewer than two. */
export function receivedFps(decoded: readonly DecodedFrames[]): number {
  const [first, last] = [decoded[0], decoded.at(-1)];
  if (first === undefined || last === undefined || last.timeMs <= first.timeMs) return NaN;
  return ((last.framesDecoded - first.framesDecoded) / (last.timeMs - first.timeMs)) * 1e3;
}
