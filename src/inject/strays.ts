/**
 * Received video whose connection nobody can reach: the page keeps it to itself, and never uses it again. What is
 * left are its receiver, where the page lets that be seen, and the elements that show it.
 */
import type { Window } from './endpoint.js';
import { attempt, epochMs } from './natives.js';
import * as notices from './notices.js';
import type { InboundStats, StatsSample } from './protocol.js';
import { readSample } from './sample.js';
import { ShownFrames } from './shown_frames.js';

const NOTHING_SENT = {
  sendingOf: () => ({ boundBps: NaN, trackState: '' as const, trackPaused: '' as const }),
  relay: null,
};

/** A debugger that lists all connections, or a page's next call, may still tell whose track it is. */
const LEAST_AGE_MS = 2000;

/** A received video track, told of as a connection of its own. */
export class Stray {
  readonly #shown: ShownFrames;
  /** Its number, once it has shown a frame that came by a connection. */
  #id: number | null = null;
  #looked = { timeUs: NaN, frames: NaN };
  #ended = false;
  readonly #foundMs = epochMs();

  constructor(
    readonly track: MediaStreamTrack,
    private readonly receiver: RTCRtpReceiver | null,
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

  pause(): void {
    this.#shown.pause();
  }

  resume(): void {
    this.#looked = { timeUs: NaN, frames: NaN };
    this.#shown.resume();
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

  /** Tells what is known; `nextId` numbers it when it is told of for the first time. Never rejects. */
  async sample(nextId: () => number): Promise<void> {
    if (this.track.readyState === 'ended') this.end();
    if (this.#ended || !this.#shown.sawFrames || epochMs() - this.#foundMs < LEAST_AGE_MS) return;
    if (this.#id === null) {
      this.#id = nextId();
      this.#introduce();
    }
    const sample = this.receiver === null ? this.#picture() : await this.#received(this.receiver);
    if (sample === null) return;
    const [endpoint, { reporter }] = [this.#id, this.window];
    const [video] = sample.inbound;
    const rows = video === undefined ? [] : this.#shown.take(video.ssrc, video.bytesReceived);
    if (rows.length > 0) reporter.add({ type: 'frames', endpoint, rows });
    reporter.add({ type: 'sample', endpoint, sample });
  }

  async #received(receiver: RTCRtpReceiver): Promise<StatsSample | null> {
    const stats = await receiver.getStats().catch(() => null);
    if (stats === null) return null;
    const { sample } = readSample(stats, this.window.config.originEpochMs, epochMs(), NOTHING_SENT);
    return { ...sample, inbound: sample.inbound.filter(({ kind }) => kind === 'video') };
  }

  /** What an element alone tells. */
  #picture(): StatsSample {
    const timeUs = this.window.reporter.nowUs();
    const { frames, width, height } = this.#shown.picture;
    const { sample } = readSample(NO_STATS, this.window.config.originEpochMs, epochMs(), NOTHING_SENT);
    const framesPerSecond = ((frames - this.#looked.frames) * 1e6) / (timeUs - this.#looked.timeUs);
    this.#looked = { timeUs, frames };
    const inbound: InboundStats = {
      ...unknownInbound(),
      // It has none that anybody knows, but the number of its connection is its own.
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

/** As `readSample` reads an entry that says nothing. */
function unknownInbound(): InboundStats {
  const entry = new Map([['', { type: 'inbound-rtp', id: '', kind: 'video' }]]) as unknown as RTCStatsReport;
  const [unknown] = readSample(entry, 0, 0, NOTHING_SENT).sample.inbound;
  if (unknown === undefined) throw new Error('an entry of a report is not read');
  return unknown;
}

/** Looks for tracks whose connections are not known. */
export class Strays {
  readonly #all = new Map<MediaStreamTrack, Stray>();
  /** What pages have used of connections that are not known. */
  readonly #met = new Set<RTCRtpReceiver | RTCRtpTransceiver>();

  constructor(
    private readonly window: Window,
    private readonly nextId: () => number,
  ) {}

  /** The page used it. */
  meet(used: RTCRtpReceiver | RTCRtpTransceiver): void {
    this.#met.add(used);
  }

  /** Tells what is known of tracks that none of the known connections receives. Never rejects. */
  async look(known: ReadonlySet<MediaStreamTrack>): Promise<void> {
    for (const used of this.#met) {
      const receiver = 'receiver' in used ? used.receiver : used;
      this.#find(receiver.track, receiver, known);
    }
    this.#met.clear();
    for (const { srcObject } of document.querySelectorAll('video'))
      if (srcObject instanceof MediaStream)
        for (const track of srcObject.getVideoTracks()) this.#find(track, null, known);
    for (const [track, stray] of this.#all) {
      if (known.has(track)) stray.end();
      if (stray.closed) this.#all.delete(track);
    }
    await Promise.all([...this.#all.values()].map((stray) => stray.sample(this.nextId)));
  }

  #find(
    track: MediaStreamTrack,
    receiver: RTCRtpReceiver | null,
    known: ReadonlySet<MediaStreamTrack>,
  ): void {
    if (known.has(track) || track.kind !== 'video' || track.readyState === 'ended') return;
    const before = this.#all.get(track);
    if (before !== undefined && (receiver === null || before.hasReceiver)) return;
    before?.end();
    this.#all.set(track, new Stray(track, receiver, this.window));
  }

  /** Frames are timed no more. */
  pause(): void {
    for (const stray of this.#all.values()) attempt(() => stray.pause());
  }

  /** All are told of as if they were new. */
  resume(): void {
    for (const stray of this.#all.values()) attempt(() => stray.resume());
  }
}
