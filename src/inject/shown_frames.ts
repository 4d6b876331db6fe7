/**
 * Records the frames of a received track when a video element shows them. Used if the observer's transform
 * cannot see the frames, for instance in calls that were running before they were observed: the browser never
 * calls a transform that is set so late. The observer creates the element, which is not part of the document.
 */
import { attempt, listen } from './natives.js';
import { NO_LAYER, NUMBERS_PER_FRAME } from './protocol.js';

/**
 * The values that the browser reports about a shown frame of a peer connection (video-rvfc, 3). `receiveTime`
 * is the arrival of the frame's last packet.
 */
interface Shown {
  receiveTime?: number;
  rtpTimestamp?: number;
}

interface Frame {
  rtpTimestamp: number;
  arrivalUs: number;
}

/** The byte counter of the stream at one reading of getStats. */
interface Look {
  timeUs: number;
  bytes: number;
}

/** At most this many frames are kept between two calls of `take`; later ones are dropped. */
const MOST_FRAMES = 1000;
/**
 * If no frame was shown for longer than this, the bytes received in that time are not counted for the next
 * frames. They are assumed to belong to frames that were never shown.
 */
const LONGEST_US = 1_500_000;
/**
 * Readings of getStats that are older than this are dropped, because no frame is shown so long after its
 * arrival.
 */
const KEPT_US = 10_000_000;
/**
 * If this many frames were shown and none of them came from a peer connection, the track is assumed to have
 * another source.
 */
const ENOUGH_FRAMES = 30;

export class ShownFrames {
  readonly #element = document.createElement('video');
  #frames: Frame[] = [];
  #lastTimestamp = NaN;
  #foreignFrames = 0;
  /** Readings of getStats since `take` last returned or discarded frames, oldest first. */
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
    // An element that waits for its first frame delays the load event of the document. Therefore playing starts
    // after that event.
    if (document.readyState === 'complete') this.#play();
    else listen(globalThis, 'load', () => this.#play());
  }

  #play(): void {
    if (this.#isPaused || this.#element.srcObject !== null) return;
    this.#next();
    this.#element.srcObject = new MediaStream([this.track]);
    this.#element.play().catch(() => undefined);
  }

  /** Stops playing, and discards the frames that `take` has not returned. */
  pause(): void {
    this.#isPaused = true;
    this.#element.cancelVideoFrameCallback(this.#callback);
    this.#element.pause();
    this.#element.srcObject = null;
    this.#frames = [];
    this.#ssrc = NaN;
  }

  /** Whether this browser reports frames when it shows them. */
  static get isSupported(): boolean {
    return 'requestVideoFrameCallback' in HTMLVideoElement.prototype;
  }

  /** Whether at least one frame from a peer connection was shown. */
  get sawFrames(): boolean {
    return !Number.isNaN(this.#lastTimestamp);
  }

  /** Whether the track's frames come from a source other than a peer connection, such as a local camera. */
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
      // If the page has disabled a received track, the browser shows black frames instead. These frames do not count
      // as foreign.
      if (this.track.enabled) this.#foreignFrames++;
      return;
    }
    if (rtpTimestamp === this.#lastTimestamp) return;
    this.#lastTimestamp = rtpTimestamp;
    const arrivalUs = Math.round((performance.timeOrigin + receiveTime - this.originEpochMs) * 1000);
    if (this.#frames.length < MOST_FRAMES) this.#frames.push({ rtpTimestamp, arrivalUs });
  }

  /**
   * Returns the frames shown since the last call, in the form of the `frames` message. `bytesReceived` is the
   * byte counter of getStats at `timeUs`. The browser does not report frame sizes, so each frame gets an
   * equal share of the bytes received since the last call that returned frames (see `#bytesBefore`). Only
   * sums of these sizes are meaningful.
   */
  take(ssrc: number, bytesReceived: number, timeUs: number): number[] {
    // The frames of a stream that has just started, or whose counter has restarted, are dropped, since no size can be
    // computed for them.
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
   * The value of the byte counter before the given frames arrived. Normally, this is the oldest reading in
   * `#looks`. If the first frame arrived more than LONGEST_US after that reading, the value is the latest
   * reading before this arrival.
   */
  #bytesBefore([first]: readonly Frame[]): number {
    const [last] = this.#looks;
    if (first === undefined || last === undefined) return NaN;
    if (first.arrivalUs - last.timeUs <= LONGEST_US) return last.bytes;
    return this.#looks.findLast(({ timeUs }) => timeUs < first.arrivalUs)?.bytes ?? NaN;
  }

  /** The number of frames shown or dropped so far, and the size of the video. */
  get picture(): { frames: number; width: number; height: number } {
    const { totalVideoFrames } = this.#element.getVideoPlaybackQuality();
    return { frames: totalVideoFrames, width: this.#element.videoWidth, height: this.#element.videoHeight };
  }
}
