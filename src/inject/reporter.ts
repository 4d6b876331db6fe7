/** A window's one way out: batches of messages, in order, through the function that Node has put there. */
import { attempt, epochMs, stringify } from './natives.js';
import type { ObserverConfig, PageBatch, PageMessage, RecordNotice } from './protocol.js';

type Binding = (batch: string) => Promise<void>;

export class Reporter {
  readonly #window = `${epochMs().toString(36)}-${Math.random().toString(36).slice(2)}`;
  #messages: PageMessage[] = [];
  #soon = false;

  constructor(private readonly config: ObserverConfig) {}

  /** Microseconds since the origin. */
  nowUs(): number {
    return this.timeUs(epochMs());
  }

  /** The same for another time, in milliseconds of the Unix epoch. */
  timeUs(epoch: number): number {
    return Math.round((epoch - this.config.originEpochMs) * 1000);
  }

  /** Told with the next batch. */
  add(message: PageMessage): void {
    this.#messages.push(message);
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

  /** Sends what there is. Never rejects: without Node there is nobody to tell. */
  async send(timeUs = this.nowUs()): Promise<void> {
    this.#soon = false;
    if (this.#messages.length === 0) return;
    const batch: PageBatch = { window: this.#window, url: location.href, timeUs, messages: this.#messages };
    this.#messages = [];
    const binding = (globalThis as unknown as Record<string, Binding | undefined>)[this.config.binding];
    const told = attempt(() => binding?.(stringify(batch)));
    await told?.catch(() => undefined);
  }
}
