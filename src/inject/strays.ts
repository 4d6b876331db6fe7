/**
 * Observes strays: received video tracks whose connection is unknown. The page created the connection before
 * it was observed, stores it where no search finds it, and uses none of its methods and attributes. Two
 * things can still be observed: the track's receiver, if the page uses the receiver, and the elements that
 * show the track.
 */
import type { Endpoint, Window } from './endpoint.js';
import { Held } from './held.js';
import { attempt, epochMs } from './natives.js';
import * as notices from './notices.js';
import type { InboundStats, StatsSample } from './protocol.js';
import { readSample } from './sample.js';
import { ShownFrames } from './shown_frames.js';

const NOTHING_SENT = {
  sendingOf: () => ({
    ...{ maxBitrateBps: NaN, sectionBoundBps: NaN },
    ...{ trackState: '' as const, trackPaused: '' as const },
  }),
  relay: null,
};

/**
 * A track is reported only this long after it was found. Until then, its connection may still become known: a
 * debugger may list all connections, or the page may use the connection.
 */
const LEAST_AGE_MS = 2000;

/**
 * If two frames that are shown at the same time belong to one stream, their RTP timestamps differ by at most
 * this number of ticks (one second). The timestamps of different streams start at random (RFC 3550, 5.1). The
 * probability that they are so close by chance is 1 in 24,000.
 */
const NEAR_TICKS = 90_000;

function areNear(a: number, b: number): boolean {
  const ticks = (a - b) >>> 0;
  return !Number.isNaN(a - b) && Math.min(ticks, 2 ** 32 - ticks) <= NEAR_TICKS;
}

/** A stray. It is reported as if it were a separate connection. */
export class Stray {
  readonly #shown: ShownFrames;
  /** The number of the reported connection; null until it is reported. */
  #id: number | null = null;
  #looked = { timeUs: NaN, frames: NaN };
  #ended = false;
  readonly #foundMs = epochMs();

  constructor(
    readonly track: MediaStreamTrack,
    readonly receiver: RTCRtpReceiver | null,
    private readonly window: Window,
  ) {
    this.#shown = new ShownFrames(track, window.config.originEpochMs);
    this.#shown.resume();
  }

  get closed(): boolean {
    return this.#ended;
  }

  get hasReceiver(): boolean {
    return this.receiver !== null;
  }

  /** The number of the reported connection; null until it is reported. */
  get id(): number | null {
    return this.#id;
  }

  /** Whether the track's frames come from a source other than a peer connection. */
  get isForeign(): boolean {
    return this.#shown.isForeign;
  }

  /** The RTP timestamp of the last shown frame; NaN until there is one. */
  get lastTimestamp(): number {
    return this.#shown.lastTimestamp;
  }

  resume(): void {
    this.#looked = { timeUs: NaN, frames: NaN };
    this.#introduce();
  }

  #introduce(): void {
    const { reporter } = this.window;
    if (this.#id === null) return;
    const [endpoint, timeUs] = [this.#id, reporter.nowUs()];
    reporter.add({ type: 'endpoint', endpoint, timeUs });
    reporter.add({ type: 'state', endpoint, timeUs, state: 'connected' });
    reporter.add({ type: 'source', endpoint, source: 'elements' });
    reporter.notice(endpoint, this.receiver === null ? notices.onlyShown() : notices.onlyReceiver());
    if (this.receiver !== null) reporter.notice(endpoint, notices.asShown(notices.joinedLate()));
  }

  /**
   * Reports the current state of the track. When it is first reported, it gets its number from `nextId`. Never
   * rejects.
   */
  async sample(nextId: () => number): Promise<void> {
    if (this.track.readyState === 'ended') this.end();
    if (this.#ended || !this.#shown.sawFrames || epochMs() - this.#foundMs < LEAST_AGE_MS) return;
    if (this.#id === null) {
      this.#id = nextId();
      this.#introduce();
    }
    const sample = this.receiver === null ? this.#picture() : await this.#received(this.receiver);
    if (sample === null || this.closed) return;
    const [endpoint, { reporter }] = [this.#id, this.window];
    const [video] = sample.inbound;
    const rows = video === undefined ? [] : this.#shown.take(video.ssrc, video.bytesReceived, sample.timeUs);
    if (rows.length > 0) reporter.add({ type: 'frames', endpoint, rows });
    reporter.add({ type: 'sample', endpoint, sample });
  }

  async #received(receiver: RTCRtpReceiver): Promise<StatsSample | null> {
    const stats = await receiver.getStats().catch(() => null);
    if (stats === null) return null;
    const { sample } = readSample(stats, this.window.config.originEpochMs, epochMs(), NOTHING_SENT);
    return { ...sample, inbound: sample.inbound.filter(({ kind }) => kind === 'video') };
  }

  /** A sample with the few values that a video element reveals. */
  #picture(): StatsSample {
    const timeUs = this.window.reporter.nowUs();
    const { frames, width, height } = this.#shown.picture;
    const { sample } = readSample(NO_STATS, this.window.config.originEpochMs, epochMs(), NOTHING_SENT);
    const framesPerSecond = ((frames - this.#looked.frames) * 1e6) / (timeUs - this.#looked.timeUs);
    this.#looked = { timeUs, frames };
    const inbound: InboundStats = {
      ...unknownInbound(),
      // The SSRC is unknown, so the number of the reported connection is used instead.
      ssrc: this.#id ?? 0,
      framesReceived: frames,
      framesDecoded: frames,
      frameWidth: width,
      frameHeight: height,
      framesPerSecond,
    };
    return { ...sample, timeUs, inbound: [inbound] };
  }

  /** Ends the observation without reporting its end. Used if the connection is now reported in the stray's place. */
  leave(): void {
    this.#ended = true;
    attempt(() => this.#shown.pause());
  }

  end(): void {
    if (this.#ended) return;
    this.leave();
    if (this.#id === null) return;
    const { reporter } = this.window;
    reporter.tell({ type: 'state', endpoint: this.#id, timeUs: reporter.nowUs(), state: 'closed' });
  }
}

const NO_STATS = new Map() as unknown as RTCStatsReport;

/** Returns an entry in which every value is unknown, in the form that `readSample` returns. */
function unknownInbound(): InboundStats {
  const entry = new Map([['', { type: 'inbound-rtp', id: '', kind: 'video' }]]) as unknown as RTCStatsReport;
  const [unknown] = readSample(entry, 0, 0, NOTHING_SENT).sample.inbound;
  if (unknown === undefined) throw new Error('readSample skipped an inbound-rtp entry');
  return unknown;
}

/** The properties of a known connection that show which tracks belong to it. */
type Known = Pick<Endpoint, 'tracks' | 'timestamps'>;

/** Finds and reports strays. */
export class Strays {
  readonly #all = new Map<MediaStreamTrack, Stray>();
  /** Receivers and transceivers that the page has used. Their connections may be unknown. */
  readonly #met = new Held<RTCRtpReceiver | RTCRtpTransceiver>();
  /** Tracks that turned out not to be strays. */
  readonly #settled = new WeakSet<MediaStreamTrack>();
  #isPaused = false;

  constructor(
    private readonly window: Window,
    private readonly nextId: () => number,
  ) {}

  /** Remembers a receiver or transceiver that the page has used. */
  meet(used: RTCRtpReceiver | RTCRtpTransceiver): void {
    if (!this.#isPaused && ShownFrames.isSupported) this.#met.add(used);
  }

  /** Whether this is the number of a reported stray. */
  has(endpoint: number): boolean {
    return [...this.#all.values()].some(({ id }) => id === endpoint);
  }

  /**
   * Returns the number of the first reported stray among the tracks of a connection that has become known, so that
   * the connection takes the stray's place. Returns null if there is none.
   */
  handOver(tracks: readonly MediaStreamTrack[]): number | null {
    const stray = tracks.map((track) => this.#all.get(track)).find((each) => typeof each?.id === 'number');
    if (stray === undefined) return null;
    stray.leave();
    this.#all.delete(stray.track);
    return stray.id;
  }

  /** Finds and reports strays. `known` are the known connections, whose tracks are not strays. Never rejects. */
  async look(known: readonly Known[]): Promise<void> {
    if (this.#isPaused || !ShownFrames.isSupported) return;
    for (const { tracks } of known) for (const track of tracks) this.#settled.add(track);
    this.#search();
    this.#sort(known);
    await Promise.all([...this.#all.values()].map((stray) => stray.sample(this.nextId)));
  }

  #search(): void {
    for (const used of this.#met.all) {
      const receiver = 'receiver' in used ? used.receiver : used;
      this.#find(receiver.track, receiver);
    }
    this.#met.clear();
    for (const { srcObject } of document.querySelectorAll('video'))
      if (srcObject instanceof MediaStream)
        for (const track of srcObject.getVideoTracks()) this.#find(track, null);
  }

  #find(track: MediaStreamTrack, receiver: RTCRtpReceiver | null): void {
    if (this.#settled.has(track) || track.kind !== 'video' || track.readyState === 'ended') return;
    const before = this.#all.get(track);
    if (before !== undefined && (receiver === null || before.hasReceiver)) return;
    before?.end();
    this.#all.set(track, new Stray(track, receiver, this.window));
  }

  /**
   * Removes tracks that are not strays: tracks of known connections, copies that the page has made of other
   * tracks, and tracks without a connection.
   */
  #sort(known: readonly Known[]): void {
    const { size } = this.#all;
    const timestamps = size === 0 ? [] : known.flatMap((each) => each.timestamps);
    // If two tracks show the same stream, one is a copy. The track with a known receiver is kept, because the
    // receiver reveals more.
    const all = [...this.#all.values()].sort((a, b) => Number(b.hasReceiver) - Number(a.hasReceiver));
    for (const stray of all) {
      const isCopy = !stray.hasReceiver && timestamps.some((each) => areNear(each, stray.lastTimestamp));
      if (isCopy || stray.isForeign) this.#settled.add(stray.track);
      if (this.#settled.has(stray.track)) stray.end();
      if (stray.closed) this.#all.delete(stray.track);
      else if (!Number.isNaN(stray.lastTimestamp)) timestamps.push(stray.lastTimestamp);
    }
  }

  /**
   * Stops the observation and forgets all strays. Only their receivers are kept, by weak references that keep
   * no receiver alive.
   */
  pause(): void {
    this.#isPaused = true;
    for (const stray of this.#all.values()) {
      attempt(() => stray.end());
      if (stray.receiver !== null) this.#met.add(stray.receiver);
    }
    this.#all.clear();
    this.#met.letGo();
  }

  /** Reports all strays as if they were new. */
  resume(): void {
    this.#isPaused = false;
    this.#met.hold();
    for (const stray of this.#all.values()) attempt(() => stray.resume());
  }
}
