/**
 * Frames of a received track as an element shows them: what is left to see of a call that ran before it was
 * observed, since a transform that comes then is never asked. The element is the observer's own and in no document.
 */
import { attempt, listen } from './natives.js';
import { NO_LAYER, NUMBERS_PER_FRAME } from './protocol.js';

/** Where media come from a peer connection, the browser tells when a frame's last packet came (video-rvfc, 3). */
interface Shown {
  receiveTime?: number;
  rtpTimestamp?: number;
}

interface Frame {
  rtpTimestamp: number;
  arrivalUs: number;
}

/** What was counted of the stream at a look at getStats. */
interface Look {
  timeUs: number;
  bytes: number;
}

/** A page that is not shown calls nobody back; nothing is kept of longer than this. */
const MOST_FRAMES = 1000;
/** When no frame was shown for longer than this, what came before the next one belongs to frames that nobody saw. */
const LONGEST_US = 1_500_000;
/** No frame is shown so long after it came. */
const KEPT_US = 10_000_000;
/** As many frames, none of which came by a peer connection, tell that the track comes from somewhere else. */
const ENOUGH_FRAMES = 30;

export class ShownFrames {
  readonly #element = document.createElement('video');
  #frames: Frame[] = [];
  #lastTimestamp = NaN;
  #foreignFrames = 0;
  /** Looks since frames were taken last, the oldest first. */
  #looks: Look[] = [];
  #isPaused = true;
  #callback = 0;
  #ssrc = NaN;

  constructor(
    private readonly track: MediaStreamTrack,
    private readonly originEpochMs: number,
  ) {
    this.#element.muted = true;
  }

  /** Times frames from now on; until then it does nothing. */
  resume(): void {
    if (!this.#isPaused) return;
    this.#isPaused = false;
    // An element that waits for its first frame holds back the document's load event.
    if (document.readyState === 'complete') this.#play();
    else listen(globalThis, 'load', () => this.#play());
  }

  #play(): void {
    if (this.#isPaused || this.#element.srcObject !== null) return;
    this.#next();
    this.#element.srcObject = new MediaStream([this.track]);
    this.#element.play().catch(() => undefined);
  }

  /** Nothing is played any more, and frames that were not taken are forgotten. */
  pause(): void {
    this.#isPaused = true;
    this.#element.cancelVideoFrameCallback(this.#callback);
    this.#element.pause();
    this.#element.srcObject = null;
    this.#frames = [];
    this.#ssrc = NaN;
  }

  /** Whether this browser tells of frames as they are shown. */
  static get isSupported(): boolean {
    return 'requestVideoFrameCallback' in HTMLVideoElement.prototype;
  }

  /** Whether a frame was shown that came by a peer connection. */
  get sawFrames(): boolean {
    return !Number.isNaN(this.#lastTimestamp);
  }

  /** Whether it shows frames that come by no peer connection, as those of a local camera. */
  get isForeign(): boolean {
    return !this.sawFrames && this.#foreignFrames >= ENOUGH_FRAMES;
  }

  /** The RTP timestamp of the latest frame that was shown; NaN before there is one. */
  get lastTimestamp(): number {
    return this.#lastTimestamp;
  }

  #next(): void {
    this.#callback = this.#element.requestVideoFrameCallback((_now, shown) => {
      attempt(() => this.#note(shown as Shown));
      this.#next();
    });
  }

  #note({ receiveTime, rtpTimestamp }: Shown): void {
    if (receiveTime === undefined || rtpTimestamp === undefined) {
      // A received track that the page has disabled shows black frames of the browser's own.
      if (this.track.enabled) this.#foreignFrames++;
      return;
    }
    if (rtpTimestamp === this.#lastTimestamp) return;
    this.#lastTimestamp = rtpTimestamp;
    const arrivalUs = Math.round((performance.timeOrigin + receiveTime - this.originEpochMs) * 1000);
    if (this.#frames.length < MOST_FRAMES) this.#frames.push({ rtpTimestamp, arrivalUs });
  }

  /**
   * The frames since the last time, as in the message `frames`, when getStats counted these bytes at that time. Nobody
   * tells their sizes: each is given an equal share of what was received meanwhile, so that rates are right.
   */
  take(ssrc: number, bytesReceived: number, timeUs: number): number[] {
    // Nothing is known about frames whose bytes nobody has counted, or about a stream that has just begun.
    const isCounted = ssrc === this.#ssrc && bytesReceived >= (this.#looks.at(-1)?.bytes ?? NaN);
    const frames = isCounted ? this.#frames : [];
    const bytes = bytesReceived - this.#bytesBefore(frames);
    this.#frames = [];
    this.#ssrc = ssrc;
    if (!isCounted || frames.length > 0) this.#looks = [];
    this.#looks.push({ timeUs, bytes: bytesReceived });
    while ((this.#looks[1]?.timeUs ?? NaN) < timeUs - KEPT_US) this.#looks.shift();
    const rows = new Array<number>(frames.length * NUMBERS_PER_FRAME);
    frames.forEach(({ rtpTimestamp, arrivalUs }, i) => {
      const row = [ssrc, rtpTimestamp, arrivalUs, bytes / frames.length, 0, NO_LAYER, NO_LAYER];
      row.forEach((value, column) => (rows[i * NUMBERS_PER_FRAME + column] = value));
    });
    return rows;
  }

  /** What had been counted of the stream before the first bytes that belong to these frames. */
  #bytesBefore([first]: readonly Frame[]): number {
    const [last] = this.#looks;
    if (first === undefined || last === undefined) return NaN;
    if (first.arrivalUs - last.timeUs <= LONGEST_US) return last.bytes;
    return this.#looks.findLast(({ timeUs }) => timeUs < first.arrivalUs)?.bytes ?? NaN;
  }

  /** Frames shown so far, and the size of the picture. */
  get picture(): { frames: number; width: number; height: number } {
    const { totalVideoFrames } = this.#element.getVideoPlaybackQuality();
    return { frames: totalVideoFrames, width: this.#element.videoWidth, height: this.#element.videoHeight };
  }
}
