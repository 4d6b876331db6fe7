/**
 * Received video whose connection cannot be reached, because the page keeps the connection to itself and never
 * uses it again. Only the video's receiver can be observed, if the page uses that, and the elements that show the
 * video.
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
 * A track is not reported before this age: until then, a debugger that lists all connections, or the page's next
 * call of a method, may still reveal its connection.
 */
const LEAST_AGE_MS = 2000;

/**
 * Frames of one stream that are shown at the same time have RTP timestamps as close as this: a second. Those of
 * different streams start at random (RFC 3550, 5.1), and are that close by chance with a probability of 1 in
 * 24,000.
 */
const NEAR_TICKS = 90_000;

function areNear(a: number, b: number): boolean {
  const ticks = (a - b) >>> 0;
  return !Number.isNaN(a - b) && Math.min(ticks, 2 ** 32 - ticks) <= NEAR_TICKS;
}

/** A received video track, reported as a connection of its own. */
export class Stray {
  readonly #shown: ShownFrames;
  /** The number under which it is reported; null until then. */
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

  /** Its number; null until it is reported. */
  get id(): number | null {
    return this.#id;
  }

  /** Whether its frames do not come from a peer connection. */
  get isForeign(): boolean {
    return this.#shown.isForeign;
  }

  /** The RTP timestamp of the last frame that it has shown; NaN until there is one. */
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

  /** Reports what is known; `nextId` numbers it when it is first reported. Never rejects. */
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

  /** A sample with the facts that an element alone reveals. */
  #picture(): StatsSample {
    const timeUs = this.window.reporter.nowUs();
    const { frames, width, height } = this.#shown.picture;
    const { sample } = readSample(NO_STATS, this.window.config.originEpochMs, epochMs(), NOTHING_SENT);
    const framesPerSecond = ((frames - this.#looked.frames) * 1e6) / (timeUs - this.#looked.timeUs);
    this.#looked = { timeUs, frames };
    const inbound: InboundStats = {
      ...unknownInbound(),
      // The SSRC is unknown; the number of the unknown connection stands for it.
      ssrc: this.#id ?? 0,
      framesReceived: frames,
      framesDecoded: frames,
      frameWidth: width,
      frameHeight: height,
      framesPerSecond,
    };
    return { ...sample, timeUs, inbound: [inbound] };
  }

  end(): void {
    if (this.#ended) return;
    this.#ended = true;
    attempt(() => this.#shown.pause());
    if (this.#id === null) return;
    const { reporter } = this.window;
    reporter.tell({ type: 'state', endpoint: this.#id, timeUs: reporter.nowUs(), state: 'closed' });
  }
}

const NO_STATS = new Map() as unknown as RTCStatsReport;

/** An entry of which no value is known, in the form that `readSample` returns. */
function unknownInbound(): InboundStats {
  const entry = new Map([['', { type: 'inbound-rtp', id: '', kind: 'video' }]]) as unknown as RTCStatsReport;
  const [unknown] = readSample(entry, 0, 0, NOTHING_SENT).sample.inbound;
  if (unknown === undefined) throw new Error('an entry of a report is not read');
  return unknown;
}

/** The properties of an observed connection that show which tracks are not strays. */
type Known = Pick<Endpoint, 'tracks' | 'timestamps'>;

/** Looks for tracks whose connections are unknown. */
export class Strays {
  readonly #all = new Map<MediaStreamTrack, Stray>();
  /** Receivers and transceivers that the page has used, and whose connections may be unknown. */
  readonly #met = new Held<RTCRtpReceiver | RTCRtpTransceiver>();
  /** Tracks that turned out not to be strays. */
  readonly #settled = new WeakSet<MediaStreamTrack>();
  #isPaused = false;

  constructor(
    private readonly window: Window,
    private readonly nextId: () => number,
  ) {}

  /** Notes a receiver or transceiver that the page has used. */
  meet(used: RTCRtpReceiver | RTCRtpTransceiver): void {
    if (!this.#isPaused && ShownFrames.isSupported) this.#met.add(used);
  }

  /** Whether this is the number of a reported track. */
  has(endpoint: number): boolean {
    return [...this.#all.values()].some(({ id }) => id === endpoint);
  }

  /** Reports what is known of tracks that none of the known connections receives. Never rejects. */
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
   * Removes those that are not strays: known tracks, copies that the page has made of them, and tracks without a
   * connection.
   */
  #sort(known: readonly Known[]): void {
    const { size } = this.#all;
    const timestamps = size === 0 ? [] : known.flatMap((each) => each.timestamps);
    // If both a copy and its original are here, the one with the receiver reveals more.
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
   * Stops playing and collecting. Findings are forgotten, except for receivers, which are kept by weak references:
   * only as long as the page keeps them.
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
