/** The frame rate of the received video, from the browser's counter of decoded frames. */

/** The rate is averaged over up to this many seconds, so that it can be read. */
export const FRAME_RATE_S = 3;

/** The number of frames that were decoded up to a time. */
export interface DecodedFrames {
  timeMs: number;
  framesDecoded: number;
}

/**
 * Adds a reading, and drops those that are too old. The list is cleared if the reading has no number of
 * frames, and begins again with the reading if the counter was restarted.
 */
export function withReading(
  decoded: readonly DecodedFrames[],
  reading: DecodedFrames,
): readonly DecodedFrames[] {
  const { timeMs, framesDecoded } = reading;
  if (Number.isNaN(framesDecoded)) return [];
  // Readings come about once a second, so the reading nearest to the wanted age may be half a second older.
  const longestMs = (FRAME_RATE_S + 0.5) * 1e3;
  const kept = decoded.filter(
    (each) => each.framesDecoded <= framesDecoded && timeMs - each.timeMs <= longestMs,
  );
  return [...kept, reading];
}

/** The frames per second between the first and the last reading; NaN if there are fewer than two. */
export function receivedFps(decoded: readonly DecodedFrames[]): number {
  const [first, last] = [decoded[0], decoded.at(-1)];
  if (first === undefined || last === undefined || last.timeMs <= first.timeMs) return NaN;
  return ((last.framesDecoded - first.framesDecoded) / (last.timeMs - first.timeMs)) * 1e3;
}
