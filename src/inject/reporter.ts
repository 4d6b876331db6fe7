/** A window's only way out: batches of messages, in order. */
import { attempt, epochMs } from './natives.js';
import type { PageBatch, PageMessage, RecordNotice } from './protocol.js';

/** Delivers a batch to the listener. */
export type Deliver = (batch: PageBatch) => Promise<void> | void;

/** Five minutes of batches: a listener that has taken none of them is gone, and would keep them in memory. */
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

  /** The same for another time, in milliseconds of the Unix epoch. */
  timeUs(epoch: number): number {
    return Math.round((epoch - this.originEpochMs) * 1000);
  }

  /** For how long the listener has taken nothing, in milliseconds. */
  get unheardMs(): number {
    const [oldest] = this.#waiting;
    return oldest === undefined ? 0 : epochMs() - oldest.sentMs;
  }

  get isPaused(): boolean {
    return this.#isPaused;
  }

  /** Nobody listens any more. */
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

  /** Reported with the next batch. */
  add(message: PageMessage): void {
    if (!this.#isPaused) this.#messages.push(message);
  }

  /** Reported as soon as the current task is done: the link waits for it. */
  tell(message: PageMessage): void {
    this.add(message);
    if (this.#soon) return;
    this.#soon = true;
    void Promise.resolve().then(() => this.send());
  }

  notice(endpoint: number, notice: RecordNotice): void {
    this.add({ type: 'notice', endpoint, notice });
  }

  /** Sends what there is. Never rejects, since there may be no listener. */
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

  /** The listener that took this batch is there, even if an earlier one was lost on the way. */
  #taken(batch: { sentMs: number }): void {
    if (!this.#waiting.has(batch)) return;
    for (const each of this.#waiting) {
      this.#waiting.delete(each);
      if (each === batch) return;
    }
  }
}
