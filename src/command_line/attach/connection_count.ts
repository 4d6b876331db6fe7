/**
 * How many connections were seen. After a pause a page tells all that it has again, under another name of its window: a
 * connection is known by the user name fragments of ICE, which the browser draws for each.
 */
import type { PageBatch } from '../../watch/index.js';

export class ConnectionCount {
  count = 0;
  readonly #ufrags = new Set<string>();
  /** Those that have said none yet, by their windows. */
  readonly #unnamed = new Map<string, Set<number>>();

  hear({ window, messages }: PageBatch): void {
    const unnamed = this.#unnamed.get(window) ?? new Set<number>();
    this.#unnamed.set(window, unnamed);
    for (const message of messages) {
      if (message.type === 'endpoint') {
        this.count++;
        unnamed.add(message.endpoint);
      }
      if (message.type !== 'local') continue;
      const { endpoint, ufrags } = message;
      if (unnamed.delete(endpoint) && ufrags.some((ufrag) => this.#ufrags.has(ufrag))) this.count--;
      for (const ufrag of ufrags) this.#ufrags.add(ufrag);
    }
  }

  windowEnded(window: string): void {
    this.#unnamed.delete(window);
  }
}
