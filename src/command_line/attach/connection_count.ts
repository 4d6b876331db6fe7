/**
 * Counts the connections that pages have reported. After a pause, a page reports all its connections again, under
 * another window name. So a connection is recognised by its ICE user name fragments, which the browser draws at
 * random.
 */
import type { PageBatch } from '../../watch/index.js';

export class ConnectionCount {
  count = 0;
  readonly #ufrags = new Set<string>();
  /** Connections that have not reported a fragment yet, by window. */
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
