/**
 * The messages that a view receives if it connects late: all messages of the last half minute, and the older
 * messages that describe connections. Other older messages are dropped, so the backlog stays small in long calls.
 */
import type { PageBatch, PageMessage, WindowPlace } from '../../watch/index.js';

export interface Heard {
  batch: PageBatch;
  place: WindowPlace;
}

const KEPT_US = 30e6;
/** Types of messages that recur. A view that connects late needs only the recent messages of these types. */
const PERIODIC: readonly PageMessage['type'][] = ['sample', 'frames', 'late'];

export class Backlog {
  #recent: Heard[] = [];
  /** The messages that are older than KEPT_US, merged into one batch for each browser window. */
  readonly #older = new Map<string, Heard>();

  add(heard: Heard): void {
    this.#recent.push(heard);
    const fromUs = heard.batch.timeUs - KEPT_US;
    const kept = this.#recent.findIndex(({ batch }) => batch.timeUs >= fromUs);
    for (const old of this.#recent.splice(0, Math.max(0, kept))) this.#fold(old);
  }

  #fold({ batch, place }: Heard): void {
    const before = this.#older.get(batch.window)?.batch.messages ?? [];
    const messages = [...before, ...batch.messages.filter(({ type }) => !PERIODIC.includes(type))];
    this.#older.set(batch.window, { batch: { ...batch, messages: withoutClosed(messages) }, place });
  }

  windowEnded(window: string): void {
    this.#older.delete(window);
    this.#recent = this.#recent.filter(({ batch }) => batch.window !== window);
  }

  /** The messages to send. The messages of each window are in the order of their arrival. */
  get all(): Heard[] {
    return [...this.#older.values(), ...this.#recent];
  }
}

/**
 * Drops the messages about closed connections. A `late` message is always kept, since it is not about a
 * connection.
 */
function withoutClosed(messages: readonly PageMessage[]): PageMessage[] {
  const closed = new Set(
    messages.flatMap((message) =>
      message.type === 'state' && message.state === 'closed' ? [message.endpoint] : [],
    ),
  );
  return messages.filter((message) => message.type === 'late' || !closed.has(message.endpoint));
}
