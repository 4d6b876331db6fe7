/**
 * Applies target rates to the encoder, within limits. Calls `setParameters` one at a time, and at most ten times
 * a second unless the rate falls by more than a tenth.
 *
 * Even the smallest changes are applied. After each `setParameters`, Chromium gives the encoder only 1 / 1.2 of
 * `maxBitrate` until 30 frames have been encoded, and then all of it (libwebrtc creates a new
 * `EncoderBitrateAdjuster` each time; measured in wasm/sim/media_source.md). If small changes were left out, the
 * encoder's rate would rise by a fifth whenever no change was applied for a second.
 */

const MIN_INTERVAL_MS = 100;
/** A rate that falls by more than this fraction is applied at once: during a wait, a queue would grow. */
const FALL = 0.1;
const FIRST_RETRY_MS = 200;
const LAST_RETRY_MS = 5000;

export interface ActuatorOptions {
  minBitrateBps: number;
  maxBitrateBps: number;
  /** Called when the browser has accepted a rate. */
  applied(bitrateBps: number): void;
  /**
   * Called when the browser has refused a rate or a key frame request. The actuator tries again, at growing
   * intervals.
   */
  rejected(error: unknown): void;
}

/** `setParameters` as in WebRTC Extensions; browsers without that extension ignore the second argument. */
interface KeyFrameSender {
  getParameters(): RTCRtpSendParameters;
  setParameters(
    parameters: RTCRtpSendParameters,
    options?: { encodingOptions?: { keyFrame: boolean }[] },
  ): Promise<void>;
}

/** The encodings' limits as they were before ccscope changed them. */
type Limits = (number | undefined)[];

export class Actuator {
  #wantedBps: number | null = null;
  #keyFrame = false;
  #appliedBps = NaN;
  #before: Limits | null = null;
  #busy: Promise<void> | null = null;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #lastAt = -Infinity;
  #retryMs = 0;
  #isStopped = false;

  constructor(
    private readonly sender: KeyFrameSender,
    private readonly options: ActuatorOptions,
  ) {}

  /** Requests a rate, which replaces any earlier request. NaN changes nothing. */
  want(bitrateBps: number): void {
    const { minBitrateBps, maxBitrateBps } = this.options;
    if (Number.isNaN(bitrateBps)) return;
    // Browsers reject a maxBitrate of 0 or less.
    this.#wantedBps = Math.max(1, Math.round(Math.min(maxBitrateBps, Math.max(minBitrateBps, bitrateBps))));
    this.#plan();
  }

  /** Requests a key frame from the encoder; nothing else changes. */
  keyFrame(): void {
    this.#keyFrame = true;
    this.#plan();
  }

  /** Whether a rate or a key frame is still to be requested from the browser. */
  #due(): boolean {
    return this.#keyFrame || (this.#wantedBps !== null && this.#wantedBps !== this.#appliedBps);
  }

  #falls(): boolean {
    return this.#wantedBps !== null && this.#wantedBps < (1 - FALL) * this.#appliedBps && this.#retryMs === 0;
  }

  #plan(): void {
    if (this.#isStopped || this.#busy !== null || !this.#due()) return;
    const intervalMs = this.#falls() ? 0 : Math.max(this.#retryMs, MIN_INTERVAL_MS);
    const waitMs = intervalMs - (performance.now() - this.#lastAt);
    if (waitMs > 0 && this.#timer !== undefined) return;
    clearTimeout(this.#timer);
    this.#timer = undefined;
    // A timer of 0 ms would not do here: in a hidden page, timers fire only once a second.
    if (waitMs <= 0) this.#begin();
    else this.#timer = setTimeout(() => this.#begin(), waitMs);
  }

  #begin(): void {
    this.#timer = undefined;
    this.#busy = this.#apply().finally(() => {
      this.#busy = null;
      this.#plan();
    });
  }

  async #apply(): Promise<void> {
    const bitrateBps = this.#wantedBps;
    const keyFrame = this.#keyFrame;
    this.#keyFrame = false;
    this.#lastAt = performance.now();
    try {
      const parameters = this.sender.getParameters();
      const { encodings } = parameters;
      if (bitrateBps !== null) {
        this.#before ??= encodings.map(({ maxBitrate }) => maxBitrate);
        divide(bitrateBps, encodings, this.#before);
      }
      const options = keyFrame ? { encodingOptions: encodings.map(() => ({ keyFrame })) } : {};
      await this.sender.setParameters(parameters, options);
      this.#retryMs = 0;
      if (bitrateBps === null) return;
      this.#appliedBps = bitrateBps;
      this.options.applied(bitrateBps);
    } catch (error) {
      this.#keyFrame ||= keyFrame;
      this.#retryMs = Math.min(LAST_RETRY_MS, Math.max(FIRST_RETRY_MS, this.#retryMs * 2));
      this.options.rejected(error);
    }
  }

  /** Restores the encoder's limits from before the first change. Key frames can still be requested. */
  async restore(): Promise<void> {
    this.#dropRequests();
    await this.#busy;
    if (this.#before === null) return;
    const parameters = this.sender.getParameters();
    for (const [i, encoding] of parameters.encodings.entries()) {
      const before = this.#before[i];
      if (before === undefined) delete encoding.maxBitrate;
      else encoding.maxBitrate = before;
    }
    await this.sender.setParameters(parameters);
  }

  /** Stops for good, and leaves the encoder as it is. */
  stop(): void {
    this.#isStopped = true;
    this.#dropRequests();
  }

  #dropRequests(): void {
    this.#wantedBps = null;
    this.#keyFrame = false;
    clearTimeout(this.#timer);
    this.#timer = undefined;
  }
}

/**
 * Divides a rate among the encodings that are sent. With simulcast there are several, and the rate is the sum of
 * their limits. If each of them had a limit before, the limits keep their proportions. Otherwise, the shares are in
 * proportion to the number of pixels.
 */
function divide(bitrateBps: number, encodings: RTCRtpEncodingParameters[], before: Limits): void {
  const sent = encodings
    .map((encoding, i) => ({ encoding, limitBps: before[i] }))
    .filter(({ encoding }) => encoding.active !== false);
  const areLimited = sent.every(({ limitBps }) => limitBps !== undefined && limitBps > 0);
  const weights = sent.map(({ encoding: { scaleResolutionDownBy = 1 }, limitBps = 0 }) =>
    areLimited ? limitBps : scaleResolutionDownBy ** -2,
  );
  const sum = weights.reduce((a, b) => a + b, 0);
  for (const [i, { encoding }] of sent.entries()) {
    const share = (weights[i] ?? 0) / sum;
    // Browsers reject a maxBitrate of 0.
    encoding.maxBitrate = Math.max(1, Math.round(bitrateBps * share));
  }
}
