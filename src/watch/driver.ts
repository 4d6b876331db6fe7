/**
 * GCC's loss controller for a sender of a page, which it drives, or beside which it only watches. Nobody at the far side helps, so it
 * knows what the sender knows: the losses and the round trip that receiver reports tell, what was sent, and, where
 * the browser says it, its own estimate, which stands where A_r comes from a receiver. GCC's loss controller (ToN
 * eq. 14) then only goes below that: it cannot see the far side's queue, and cannot send more than the browser allows.
 */
import type { Core, SenderHalf, TraceBatch } from '../core/index.js';
import type { OutboundStats, StatsSample } from '../calls/record/record.js';
import { orZero } from '../calls/record/stream_bytes.js';

/** A driver asks for no less, and no more. */
const LEAST_BPS = 30e3;
const MOST_BPS = 10e6;
/** A_r does not exceed what passes by more than this (ToN, III-A). */
const ABOVE_SENT = 1.5;

/** Over a longer pause, as of a machine that slept, nothing is concluded; and no page can have years gone through. */
const LONGEST_STEP_US = 60e6;

/** What the streams of one sender sent so far, and lost. */
interface Counts {
  timeUs: number;
  bytes: number;
  packets: number;
  lost: number;
}

const sum = (streams: readonly OutboundStats[], read: (stream: OutboundStats) => number): number =>
  streams.reduce((total, stream) => total + orZero(read(stream)), 0);

export class Driver {
  readonly #half: SenderHalf;
  #before: Counts | null = null;
  #rows: TraceBatch[] = [];
  targetBps: number;
  /** The core refused what it was told: a page can tell numbers that no browser counts. */
  hasFailed = false;

  /** `startBps` is what is sent now; `decides`: whether what is sent follows it. Throws CoreError. */
  constructor(
    core: Core,
    readonly flow: number,
    startBps: number,
    private readonly decides = true,
  ) {
    this.targetBps = Math.round(Math.min(MOST_BPS, Math.max(LEAST_BPS, orZero(startBps))));
    this.#half = core.createSender({
      flow,
      controller: 'gcc',
      preset: 'gcc-live',
      parameters: {
        min_bitrate_bps: LEAST_BPS,
        max_bitrate_bps: MOST_BPS,
        start_bitrate_bps: this.targetBps,
        a_s_follows_a_r: 0,
      },
    });
  }

  /** What a look at the sender's connection says of its streams. */
  see({ timeUs, rttS, availableOutgoingBps }: StatsSample, streams: readonly OutboundStats[]): void {
    const now: Counts = {
      timeUs,
      bytes: sum(streams, (stream) => stream.bytesSent),
      packets: sum(streams, (stream) => stream.packetsSent),
      lost: sum(streams, (stream) => stream.packetsLost),
    };
    const before = this.#before;
    this.#before = now;
    const passedUs = before === null ? NaN : now.timeUs - before.timeUs;
    if (before === null || !(passedUs > 0 && passedUs < LONGEST_STEP_US) || this.hasFailed) return;
    try {
      this.#step(before, now, rttS, availableOutgoingBps);
    } catch {
      this.hasFailed = true;
    }
  }

  #step(before: Counts, now: Counts, rttS: number, availableOutgoingBps: number): void {
    const { timeUs } = now;
    const sentBps = ((now.bytes - before.bytes) * 8e6) / (now.timeUs - before.timeUs);
    const estimateBps = availableOutgoingBps > 0 ? availableOutgoingBps : Infinity;
    // What is sent follows a target with a delay; where it does not follow at all, the target must not run away from it.
    const followsBps = this.decides ? Math.max(sentBps, this.targetBps) : sentBps;
    const a_r = Math.max(LEAST_BPS, Math.min(MOST_BPS, estimateBps, ABOVE_SENT * followsBps));
    this.#half.pushSent(timeUs, now.bytes, rttS * 1e6, availableOutgoingBps);
    this.#half.pushFeedback(
      {
        ...{
          timeUs,
          receivedRateBps: sentBps,
          packetsReceived: now.packets - now.lost,
          packetsLost: now.lost,
        },
        ...{ echoSendTimeUs: NaN, echoDelayUs: NaN, values: [a_r, 0] },
      },
      timeUs,
    );
    this.targetBps = Math.round(this.#half.run(timeUs).targetBps);
    this.#rows.push(...this.#half.drain());
  }

  /** The rows of the trace since the last call. */
  takeRows(): TraceBatch[] {
    const rows = this.#rows;
    this.#rows = [];
    return rows;
  }

  destroy(): void {
    this.#half.destroy();
  }
}
