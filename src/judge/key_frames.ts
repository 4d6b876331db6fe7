/**
 * Finds receivers that wait for a key frame. Until a key frame arrives, they cannot decode the packets that
 * they receive (RFC 4585, section 6.3.1).
 */
import type { InboundStats, StatsSample } from '../calls/record/record.js';

export interface KeyFrameWait {
  lastedUs: number;
  packetsReceived: number;
  /** Picture loss indications. */
  requests: number;
}

/**
 * Shorter waits do not count, since even a key frame that is sent at once arrives a round trip after the
 * request.
 */
const LEAST_WAIT_US = 900_000;

interface Look {
  timeUs: number;
  stats: InboundStats;
}

/**
 * The wait for a key frame, from `begin` to a sample; null if the receiver was not waiting. `begin` is the
 * sample with the last newly decoded picture, or the first sample of the stream.
 */
function waitAt(begin: Look, { timeUs, stats }: Look): KeyFrameWait | null {
  // Packets are counted instead of frames: before the first key frame Chromium counts no frames.
  const packetsReceived = stats.packetsReceived - begin.stats.packetsReceived;
  const requests = stats.pliCount - begin.stats.pliCount;
  const lastedUs = timeUs - begin.timeUs;
  return lastedUs >= LEAST_WAIT_US && packetsReceived > 0 && requests > 0
    ? { lastedUs, packetsReceived, requests }
    : null;
}

/** The longest wait for a key frame over the getStats samples of the given endpoints; null if there was none. */
export function keyFrameWait(endpoints: readonly (readonly StatsSample[])[]): KeyFrameWait | null {
  let longest: KeyFrameWait | null = null;
  for (const samples of endpoints) {
    const begins = new Map<number, Look>();
    for (const { timeUs, inbound } of samples) {
      for (const stats of inbound) {
        if (stats.kind !== 'video') continue;
        const begin = begins.get(stats.ssrc);
        if (begin === undefined || stats.framesDecoded > begin.stats.framesDecoded) {
          begins.set(stats.ssrc, { timeUs, stats });
          continue;
        }
        const wait = waitAt(begin, { timeUs, stats });
        if (wait !== null && wait.lastedUs > (longest?.lastedUs ?? 0)) longest = wait;
      }
    }
  }
  return longest;
}
