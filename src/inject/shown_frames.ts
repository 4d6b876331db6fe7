/**
 * Frames of a received track as an element shows them: what is left to see of a call that ran before it was
 * observed, since a transform that comes then is never asked. The element is the observer's own and in no document.
 */
import { attempt, listen } from './natives.js';
import { NUMBERS_PER_FRAME } from './protocol.js';

/** Where media come from a peer connection, the browser tells when a frame's last packet came (video-rvfc, 3). */
interface Shown {
  receiveTime?: number;
  rtpTimestamp?: number;
}

interface Frame {
  rtpTimestamp: number;
  arrivalUs: number;
}

/** A page that is not shown calls nobody back; nothing is kept of longer than this. */
const MOST_FRAMES = 1000;

export class ShownFrames {
  readonly #element = document.createElement('video');
  #frames: Frame[] = [];
  #lastTimestamp = NaN;
  #bytes = NaN;
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
    if (this.#isPaused) return;
    this.#element.srcObject = new MediaStream([this.track]);
    this.#element.play().catch(() => undefined);
    this.#next();
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

  #next(): void {
    this.#callback = this.#element.requestVideoFrameCallback((_now, shown) => {
      attempt(() => this.#note(shown as Shown));
      this.#next();
    });
  }

  #note({ receiveTime, rtpTimestamp }: Shown): void {
    if (receiveTime === undefined || rtpTimestamp === undefined) return;
    if (rtpTimestamp === this.#lastTimestamp) return;
    this.#lastTimestamp = rtpTimestamp;
    const arrivalUs = Math.round((performance.timeOrigin + receiveTime - this.originEpochMs) * 1000);
    if (this.#frames.length < MOST_FRAMES) this.#frames.push({ rtpTimestamp, arrivalUs });
  }

  /**
   * The frames since the last time, as in the message `frames`. Nobody tells their sizes: each is given an equal
   * share of what was received meanwhile, so that rates are right.
   */
  take(ssrc: number, bytesReceived: number): number[] {
    const bytes = ssrc === this.#ssrc ? bytesReceived - this.#bytes : NaN;
    // Of frames that nobody has counted the bytes of, and of a stream that has just begun, nothing is known.
    if (!(bytes >= 0)) this.#frames = [];
    if (this.#frames.length === 0 && bytes >= 0) return [];
    [this.#ssrc, this.#bytes] = [ssrc, bytesReceived];
    const frames = this.#frames;
    this.#frames = [];
    const rows = new Array<number>(frames.length * NUMBERS_PER_FRAME);
    frames.forEach(({ rtpTimestamp, arrivalUs }, i) => {
      const row = [ssrc, rtpTimestamp, arrivalUs, bytes / frames.length, 0];
      row.forEach((value, column) => (rows[i * NUMBERS_PER_FRAME + column] = value));
    });
    return rows;
  }

  /** Frames shown so far, and the size of the picture. */
  get picture(): { frames: number; width: number; height: number } {
    const { totalVideoFrames } = this.#element.getVideoPlaybackQuality();
    return { frames: totalVideoFrames, width: this.#element.videoWidth, height: this.#element.videoHeight };
  }
}
