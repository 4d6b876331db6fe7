/**
 * Counts the connections that pages have reported. When the observation of a page resumes after a pause, the page
 * reports all its connections again under a new window name. So connections are identified by their ICE username
 * fragments, which the browser chooses at random.
 */
import type { PageBatch } from '../../watch/index.js';

export class ConnectionCount {
  count = 0;
  readonly #ufrags = new Set<string>();
  /** By window: the connections that have not reported an ICE username fragment yet. */
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
