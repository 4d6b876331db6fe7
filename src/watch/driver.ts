/**
 * GCC's loss controller (eq. 14 of the ToN paper; see src/papers/README.md) for one sender of a page. It
 * either sets the sender's rate or only watches. The far side does not run ccscope, so only values that the
 * sender knows are used: the losses in receiver reports, the round-trip time of the candidate pair, and the
 * sent bytes. A_r, the delay-based rate that a GCC receiver reports, is missing. Its substitute is
 * `ABOVE_SENT` times the sent rate, or the browser's own bandwidth estimate if that is lower. So the
 * resulting rate never exceeds the estimate, and the controller knows nothing about the far side's queue.
 */
import type { Core, SenderHalf, TraceBatch } from '../core/index.js';
import type { OutboundStats, StatsSample } from '../calls/record/record.js';
import { orZero } from '../calls/record/stream_bytes.js';

/** The lowest and the highest rate that a driver sets. */
const LEAST_BPS = 30e3;
const MOST_BPS = 10e6;
/**
 * A_r is at most this multiple of the sent rate (ToN paper, III-A). If the driver sets the rate and its target is
 * higher than the sent rate, A_r is at most this multiple of the target.
 */
const ABOVE_SENT = 1.5;

/**
 * The interval between two samples is not evaluated if it is longer than this, for instance after the machine
 * slept. The limit also bounds the core's work if a page reports a wrong time.
 */
const LONGEST_STEP_US = 60e6;

/** The sums of the counters of one sender's streams. */
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
  /** True once the core has refused an input. A page can report numbers that no browser would report. */
  hasFailed = false;

  /**
   * `startBps` is the current sending rate. `decides` means that the sender follows this driver. Throws
   * CoreError.
   */
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

  /** Processes a sample of the sender's connection. `streams` are the sender's streams in the sample. */
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
    // The counters restart with a new encoder, for instance when the page replaces the camera by the screen.
    if (now.bytes < before.bytes || now.packets < before.packets) return;
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
    // If the driver sets the rate, A_r follows the target too, since the sent rate may lag behind. If the
    // driver only watches, A_r follows the sent rate alone: the sender ignores the target, which could
    // otherwise rise far above the sent rate.
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

  /** Returns the trace rows since the last call. */
  takeRows(): TraceBatch[] {
    const rows = this.#rows;
    this.#rows = [];
    return rows;
  }

  destroy(): void {
    this.#half.destroy();
  }
}
