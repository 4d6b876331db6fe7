/** Freezes of the received pictures, derived from the counters of getStats. */
import type { Window } from '../metrics.js';
import type { EndpointRecord, Freeze, InboundStats, StatsSample } from './record.js';
import type { Source } from './sources.js';

/**
 * A picture that has not changed for this long is a freeze in progress in any of three cases:
 * - frames arrive but are not decoded;
 * - the source has produced new frames;
 * - the source was stopped.
 * If the source is live but produces no new frames, a still picture is no freeze. Before the first decoded
 * frame, only arriving packets count, since Chromium then counts no frames.
 */
const STANDS_US = 1e6;

interface Stream {
  timeUs: number;
  count: number;
  totalS: number;
  decoded: number;
  /**
   * When a picture was last decoded. Before the first decoded picture, this is the time when the first packet
   * arrived; before the first packet, the time when the stream was first seen. The next three counts were
   * taken at this time.
   */
  grewUs: number;
  /**
   * The number of frames that the source had produced at `grewUs`. If the browser did not report this number
   * then, this is the first number that it reported later.
   */
  sourceFrames: number;
  framesReceived: number;
  packetsReceived: number;
  /** The freeze in progress. */
  open: Freeze | null;
}

/** The length of the shortest freeze that browsers count (webrtc-stats, freezeCount). */
const SHORTEST_US = 150e3;
/**
 * At most this many freezes are accepted between two samples, since a page can report any number as its
 * statistics.
 */
const MOST_FREEZES = 1000;

export type SourceOf = (ssrc: number) => Source;

/** Finds an endpoint's freezes from its samples. Each sample has to be passed to `see`. */
export class FreezeFinder {
  readonly #streams = new Map<number, Stream>();

  constructor(private readonly freezes: Freeze[]) {}

  see({ timeUs, inbound }: StatsSample, sourceOf: SourceOf): void {
    for (const stats of inbound) {
      if (stats.kind === 'video') this.#see(stats, timeUs, sourceOf(stats.ssrc));
    }
  }

  #see(stats: InboundStats, timeUs: number, source: Source): void {
    const { frames: sourceFrames } = source;
    const { ssrc, framesDecoded: decoded, freezeCount: count, totalFreezesDurationS: totalS } = stats;
    const { framesReceived, packetsReceived } = stats;
    const grown = { grewUs: timeUs, sourceFrames, framesReceived, packetsReceived };
    const before = this.#streams.get(ssrc);
    if (before === undefined) {
      this.#streams.set(ssrc, { timeUs, count, totalS, decoded, ...grown, open: null });
      return;
    }
    if (count > before.count) this.#counted(before, stats, timeUs);
    else if (decoded > before.decoded) before.open = null;
    else this.#standing(before, stats, timeUs, source);
    const hasBegun = before.packetsReceived === 0 && packetsReceived > 0;
    if (decoded > before.decoded || hasBegun) Object.assign(before, grown);
    if (Number.isNaN(before.sourceFrames)) before.sourceFrames = sourceFrames;
    Object.assign(before, { timeUs, count, totalS, decoded });
  }

  /**
   * Adds the freezes that the browser has counted between two samples. The browser counts a freeze only when
   * the picture moves again.
   */
  #counted(stream: Stream, stats: InboundStats, timeUs: number): void {
    if (stream.open !== null) this.freezes.splice(this.freezes.indexOf(stream.open), 1);
    const most = Math.min(MOST_FREEZES, 1 + Math.floor((timeUs - stream.timeUs) / SHORTEST_US));
    const freezes = Math.max(1, Math.min(stats.freezeCount - stream.count, most));
    const lengthUs = Math.round(((stats.totalFreezesDurationS - stream.totalS) * 1e6) / freezes);
    const endUs = Math.round((stream.timeUs + timeUs) / 2);
    for (let left = freezes; left > 0; left--) {
      const fromUs = endUs - left * lengthUs;
      // If a freeze was already in progress at an earlier sample, it is the first of the counted freezes.
      const noticed = (left === freezes ? stream.open?.noticed : undefined) ?? { timeUs, fromUs };
      this.freezes.push({ fromUs, toUs: fromUs + lengthUs, ssrc: stats.ssrc, noticed });
    }
    stream.open = null;
  }

  #standing(stream: Stream, stats: InboundStats, timeUs: number, { frames, isStopped }: Source): void {
    if (timeUs - stream.grewUs < STANDS_US) return;
    const comes =
      stream.decoded > 0
        ? stats.framesReceived > stream.framesReceived
        : stream.packetsReceived > 0 && stats.packetsReceived > stream.packetsReceived;
    const isBehind = stream.decoded > 0 && (isStopped || frames > stream.sourceFrames);
    if (!comes && !isBehind) return;
    if (stream.open === null) {
      const fromUs = stream.grewUs;
      stream.open = { fromUs, toUs: timeUs, ssrc: stats.ssrc, noticed: { timeUs, fromUs } };
      this.freezes.push(stream.open);
    } else stream.open.toUs = timeUs;
  }
}

/** The freezes of some endpoints, clipped to a window. */
export const freezesIn = (receivers: readonly EndpointRecord[], { fromUs, toUs }: Window): Freeze[] =>
  receivers
    .flatMap(({ freezes }) => freezes)
    .filter((freeze) => freeze.toUs > fromUs && freeze.fromUs < toUs)
    .map((freeze) => ({ fromUs: Math.max(fromUs, freeze.fromUs), toUs: Math.min(toUs, freeze.toUs) }));
