/** Finds out whether the sources (tracks) of sent video still produce new frames. */
import type { StatsSample } from './record.js';

/** The source behind a received picture. */
export interface Source {
  /** Frames that the source has delivered so far; NaN if unknown. */
  frames: number;
  /** Whether the source delivers no more frames, because its track has ended or was removed. */
  isStopped: boolean;
}

const UNKNOWN: Source = { frames: NaN, isStopped: false };

const isLive = ({ trackState, sourceFrames }: StatsSample['outbound'][number]): boolean =>
  trackState === 'live' && Number.isFinite(sourceFrames);

/** The source of a stream, as of the latest sample of its sender. */
export function sourceOf(sender: StatsSample | undefined, ssrc: number): Source {
  const stream = sender?.outbound.find((each) => each.ssrc === ssrc);
  if (stream === undefined) return UNKNOWN;
  const isStopped = stream.trackState === 'ended' || stream.trackState === 'none';
  return { frames: stream.sourceFrames, isStopped };
}

/**
 * All sources together. They are used for pictures that come through a server, since the source of such a
 * picture is unknown.
 */
export class Sources {
  /** The latest frame counts of live sources, by endpoint id and SSRC. */
  readonly #live = new Map<number, Map<number, number>>();
  #frames = 0;

  see(endpoint: number, { outbound }: StatsSample): void {
    const before = this.#live.get(endpoint);
    const now = new Map<number, number>();
    for (const stream of outbound) {
      if (stream.kind !== 'video' || !isLive(stream)) continue;
      const { ssrc, sourceFrames } = stream;
      this.#frames += Math.max(0, sourceFrames - (before?.get(ssrc) ?? sourceFrames));
      now.set(ssrc, sourceFrames);
    }
    if (now.size > 0) this.#live.set(endpoint, now);
    else this.#live.delete(endpoint);
  }

  gone(endpoint: number): void {
    this.#live.delete(endpoint);
  }

  /** All sources combined into one, which is stopped if no source is live. */
  get all(): Source {
    return { frames: this.#frames, isStopped: this.#live.size === 0 };
  }
}
