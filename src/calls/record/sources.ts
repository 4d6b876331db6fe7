/** The sources of the video that pages under test send: whether anything new is there to be seen. */
import type { StatsSample } from './record.js';

/** What is behind a received picture. */
export interface Source {
  /** Frames that it has given so far; NaN where that is not known. */
  frames: number;
  /** It gives none any more: its track has ended or was taken away. */
  isStopped: boolean;
}

const UNKNOWN: Source = { frames: NaN, isStopped: false };

const isLive = ({ trackState, sourceFrames }: StatsSample['outbound'][number]): boolean =>
  trackState === 'live' && Number.isFinite(sourceFrames);

/** The source of a stream, as the latest look at its sender has it. */
export function sourceOf(sender: StatsSample | undefined, ssrc: number): Source {
  const stream = sender?.outbound.find((each) => each.ssrc === ssrc);
  if (stream === undefined) return UNKNOWN;
  const isStopped = stream.trackState === 'ended' || stream.trackState === 'none';
  return { frames: stream.sourceFrames, isStopped };
}

/** All of them, for pictures that come through a server: whose they are is not known there. */
export class Sources {
  /** Frames of live sources so far, by endpoints and streams. */
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

  /** Together: with none that is live, nothing new can come. */
  get all(): Source {
    return { frames: this.#frames, isStopped: this.#live.size === 0 };
  }
}
