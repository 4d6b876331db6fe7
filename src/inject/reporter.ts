/** Sends everything that a window reports, as batches of messages, in order. */
import { epochMs } from './natives.js';
import type { PageBatch, PageMessage, RecordNotice } from './protocol.js';

/** Delivers a batch to the listener. */
export type Deliver = (batch: PageBatch) => Promise<void> | void;

/**
 * At most this many batches wait for the listener (five minutes of batches). At this limit, the listener is
 * assumed to be gone, and new messages are dropped.
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
  /**
   * When the first batch that failed since the last success was sent; null if no batch has failed since then.
   */
  #failingSinceMs: number | null = null;
  #hasSent = false;
  /**
   * Whether the window has a new name that the listener does not know yet. The listener ends the window of the old
   * name only when it learns the new one, so the next batch is sent even if it is empty.
   */
  #isRenamed = false;

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
   * The age, in milliseconds, of the oldest batch that is waiting or has failed since the last success. 0 if
   * there is no such batch.
   */
  get unheardMs(): number {
    const now = epochMs();
    const [oldest] = this.#waiting;
    return now - Math.min(oldest?.sentMs ?? now, this.#failingSinceMs ?? now);
  }

  get isPaused(): boolean {
    return this.#isPaused;
  }

  /** Stops all reports, because nobody listens. */
  pause(): void {
    this.#isPaused = true;
    this.#messages = [];
  }

  /**
   * Starts reporting again, possibly to another listener. The window gets a new name, because that listener has
   * none of the earlier reports.
   */
  resume(deliver = this.deliver): void {
    this.deliver = deliver;
    this.#isPaused = false;
    this.#messages = [];
    this.#waiting.clear();
    this.#failingSinceMs = null;
    this.#window = windowName();
    this.#isRenamed = this.#hasSent;
  }

  /** Adds a message to the next batch, unless reports are paused. */
  add(message: PageMessage): void {
    if (!this.#isPaused) this.#messages.push(message);
  }

  /**
   * Sends a message in the next microtask instead of with the next regular batch. The link may be waiting for
   * the message.
   */
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
    if (this.#messages.length === 0 && (!this.#isRenamed || this.#isPaused)) return;
    if (this.#waiting.size >= MOST_WAITING) {
      this.#messages = [];
      return;
    }
    const batch: PageBatch = { window: this.#window, url: location.href, timeUs, messages: this.#messages };
    this.#messages = [];
    this.#hasSent = true;
    this.#isRenamed = false;
    const waiting = { sentMs: epochMs() };
    this.#waiting.add(waiting);
    try {
      await this.deliver(batch);
      this.#taken(waiting);
    } catch {
      if (this.#waiting.delete(waiting)) this.#failingSinceMs ??= waiting.sentMs;
    }
  }

  /**
   * Called when the listener has taken a batch. All batches up to this one stop waiting, and earlier failures
   * are forgotten.
   */
  #taken(batch: { sentMs: number }): void {
    if (!this.#waiting.has(batch)) return;
    this.#failingSinceMs = null;
    for (const each of this.#waiting) {
      this.#waiting.delete(each);
      if (each === batch) return;
    }
  }
}
