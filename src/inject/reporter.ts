/** Sends everything that a window reports, as batches of messages, in order. */
import { attempt, epochMs } from './natives.js';
import type { PageBatch, PageMessage, RecordNotice } from './protocol.js';

/** Delivers a batch to the listener. */
export type Deliver = (batch: PageBatch) => Promise<void> | void;

/**
 * Five minutes of batches. A listener that has taken none for so long is assumed to be gone: later batches are
 * dropped.
 */
const MOST_WAITING = 600;

const windowName = (): string => `${epochMs().toString(36)}-${Math.random().toString(36).slice(2)}`;

export class Reporter {
  #window = windowName();
  #messages: PageMessage[] = [];
  #soon = false;
  #isPaused = false;
  /** The batches that have not been taken yet, oldest first. */
  readonly #waiting = new Set<{ sentMs: number }>();

  constructor(
    private readonly originEpochMs: number,
    private deliver: Deliver,
  ) {}

  /** Microseconds since the origin. */
  nowUs(): number {
    return this.timeUs(epochMs());
  }

  /** Converts milliseconds since the Unix epoch to microseconds since the origin. */
  timeUs(epoch: number): number {
    return Math.round((epoch - this.originEpochMs) * 1000);
  }

  /**
   * For how long the oldest batch that the listener has not taken has been waiting, in milliseconds; 0 if there
   * is none.
   */
  get unheardMs(): number {
    const [oldest] = this.#waiting;
    return oldest === undefined ? 0 : epochMs() - oldest.sentMs;
  }

  get isPaused(): boolean {
    return this.#isPaused;
  }

  /** Reports nothing more, because nobody listens. */
  pause(): void {
    this.#isPaused = true;
    this.#messages = [];
  }

  /**
   * Reports again, possibly to another listener. Since that listener knows nothing of earlier reports, the window
   * gets another name.
   */
  resume(deliver = this.deliver): void {
    this.deliver = deliver;
    this.#isPaused = false;
    this.#messages = [];
    this.#waiting.clear();
    this.#window = windowName();
  }

  /** Reports a message with the next batch. */
  add(message: PageMessage): void {
    if (!this.#isPaused) this.#messages.push(message);
  }

  /** Reports a message as soon as the current task is done, because the link waits for it. */
  tell(message: PageMessage): void {
    this.add(message);
    if (this.#soon) return;
    this.#soon = true;
    void Promise.resolve().then(() => this.send());
  }

  notice(endpoint: number, notice: RecordNotice): void {
    this.add({ type: 'notice', endpoint, notice });
  }

  /**
   * Sends the messages that have been added since the last batch. Never rejects, since there may be no listener.
   */
  async send(timeUs = this.nowUs()): Promise<void> {
    this.#soon = false;
    if (this.#messages.length === 0) return;
    if (this.#waiting.size >= MOST_WAITING) {
      this.#messages = [];
      return;
    }
    const batch: PageBatch = { window: this.#window, url: location.href, timeUs, messages: this.#messages };
    this.#messages = [];
    const waiting = { sentMs: epochMs() };
    this.#waiting.add(waiting);
    await attempt(() => this.deliver(batch))?.catch(() => undefined);
    this.#taken(waiting);
  }

  /** The listener took this batch, so it still listens: earlier batches that were lost no longer count as waiting. */
  #taken(batch: { sentMs: number }): void {
    if (!this.#waiting.has(batch)) return;
    for (const each of this.#waiting) {
      this.#waiting.delete(each);
      if (each === batch) return;
    }
  }
}
