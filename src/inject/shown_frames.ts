/**
 * Times the frames of a received track as a video element shows them. The frames of a call that ran before it was
 * observed can be timed in no other way, since a transform that is set so late is never called. The element
 * belongs to the observer and is in no document.
 */
import { attempt, listen } from './natives.js';
import { NO_LAYER, NUMBERS_PER_FRAME } from './protocol.js';

/** For media from a peer connection, the browser reports when a frame's last packet arrived (video-rvfc, 3). */
interface Shown {
  receiveTime?: number;
  rtpTimestamp?: number;
}

interface Frame {
  rtpTimestamp: number;
  arrivalUs: number;
}

/** The counters of the stream at a reading of getStats. */
interface Look {
  timeUs: number;
  bytes: number;
}

/** At most this many frames are kept until they are taken; later ones are dropped. */
const MOST_FRAMES = 1000;
/**
 * If no frame was shown for longer than this, the bytes received in that time are taken to belong to frames that
 * were not shown.
 */
const LONGEST_US = 1_500_000;
/** Older readings are dropped: no frame is shown this long after it arrived. */
const KEPT_US = 10_000_000;
/**
 * After this many frames that did not come by a peer connection, the track is assumed to come from somewhere
 * else.
 */
const ENOUGH_FRAMES = 30;

export class ShownFrames {
  readonly #element = document.createElement('video');
  #frames: Frame[] = [];
  #lastTimestamp = NaN;
  #foreignFrames = 0;
  /** Readings since frames were last taken, oldest first. */
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

  /** Starts timing frames. */
  resume(): void {
    if (!this.#isPaused) return;
    this.#isPaused = false;
    // An element that waits for its first frame delays the document's load event, so it starts after that event.
    if (document.readyState === 'complete') this.#play();
    else listen(globalThis, 'load', () => this.#play());
  }

  #play(): void {
    if (this.#isPaused || this.#element.srcObject !== null) return;
    this.#next();
    this.#element.srcObject = new MediaStream([this.track]);
    this.#element.play().catch(() => undefined);
  }

  /** Stops playing, and forgets the frames that were not taken. */
  pause(): void {
    this.#isPaused = true;
    this.#element.cancelVideoFrameCallback(this.#callback);
    this.#element.pause();
    this.#element.srcObject = null;
    this.#frames = [];
    this.#ssrc = NaN;
  }

  /** Whether this browser reports frames as they are shown. */
  static get isSupported(): boolean {
    return 'requestVideoFrameCallback' in HTMLVideoElement.prototype;
  }

  /** Whether a frame that came by a peer connection was shown. */
  get sawFrames(): boolean {
    return !Number.isNaN(this.#lastTimestamp);
  }

  /** Whether the track's frames did not come by a peer connection, such as those of a local camera. */
  get isForeign(): boolean {
    return !this.sawFrames && this.#foreignFrames >= ENOUGH_FRAMES;
  }

  /** The RTP timestamp of the latest frame that was shown; NaN until there is one. */
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
      // A received track that the page has disabled shows black frames made by the browser.
      if (this.track.enabled) this.#foreignFrames++;
      return;
    }
    if (rtpTimestamp === this.#lastTimestamp) return;
    this.#lastTimestamp = rtpTimestamp;
    const arrivalUs = Math.round((performance.timeOrigin + receiveTime - this.originEpochMs) * 1000);
    if (this.#frames.length < MOST_FRAMES) this.#frames.push({ rtpTimestamp, arrivalUs });
  }

  /**
   * The frames shown since the last `take`, as in the message `frames`. getStats counted `bytesReceived` at
   * `timeUs`. The sizes of the frames are unknown: each frame gets an equal share of the bytes received in the
   * meantime, so that rates are right.
   */
  take(ssrc: number, bytesReceived: number, timeUs: number): number[] {
    // Nothing is known about frames whose bytes were not counted, or about a stream that has just started.
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

  /**
   * The stream's byte count before these frames. It was read when frames were last taken or, after a long pause,
   * at the last reading before the first of these frames.
   */
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
