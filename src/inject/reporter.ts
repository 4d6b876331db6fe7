/** A window's one way out: batches of messages, in order. */
import { attempt, epochMs } from './natives.js';
import type { PageBatch, PageMessage, RecordNotice } from './protocol.js';

/** Takes a batch to whoever watches. */
export type Deliver = (batch: PageBatch) => Promise<void> | void;

const windowName = (): string => `${epochMs().toString(36)}-${Math.random().toString(36).slice(2)}`;

export class Reporter {
  #window = windowName();
  #messages: PageMessage[] = [];
  #soon = false;
  #isPaused = false;

  constructor(
    private readonly originEpochMs: number,
    private deliver: Deliver,
  ) {}

  /** Microseconds since the origin. */
  nowUs(): number {
    return this.timeUs(epochMs());
  }

  /** The same for another time, in milliseconds of the Unix epoch. */
  timeUs(epoch: number): number {
    return Math.round((epoch - this.originEpochMs) * 1000);
  }

  get isPaused(): boolean {
    return this.#isPaused;
  }

  /** Nobody is told any more. */
  pause(): void {
    this.#isPaused = true;
    this.#messages = [];
  }

  /**
   * Tells again, perhaps somebody else. Whoever listens now knows nothing of what was told before, so the
   * window has another name.
   */
  resume(deliver = this.deliver): void {
    this.deliver = deliver;
    this.#isPaused = false;
    this.#messages = [];
    this.#window = windowName();
  }

  /** Told with the next batch. */
  add(message: PageMessage): void {
    if (!this.#isPaused) this.#messages.push(message);
  }

  /** Told as soon as the current task is done: the link waits for it. */
  tell(message: PageMessage): void {
    this.add(message);
    if (this.#soon) return;
    this.#soon = true;
    void Promise.resolve().then(() => this.send());
  }

  notice(endpoint: number, notice: RecordNotice): void {
    this.add({ type: 'notice', endpoint, notice });
  }

  /** Sends what there is. Never rejects: perhaps there is nobody to tell. */
  async send(timeUs = this.nowUs()): Promise<void> {
    this.#soon = false;
    if (this.#messages.length === 0) return;
    const batch: PageBatch = { window: this.#window, url: location.href, timeUs, messages: this.#messages };
    this.#messages = [];
    await attempt(() => this.deliver(batch))?.catch(() => undefined);
  }
}
