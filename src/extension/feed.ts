/** Prepares the reports of one document for a panel's watch: on the panel's clock, and without repetitions. */
import type { PageBatch, PageMessage } from '../inject/protocol.js';
import { rebased } from '../inject/rebase.js';

/** A document that opens more connections than this is no longer observed. */
const MOST_ENDPOINTS = 2000;

/** What a panel knows of an endpoint. */
interface Known {
  state: string;
  source: string;
  notices: Set<string>;
}

/**
 * One document's batches. Each time a panel is opened, the observer reports everything that is open to all panels
 * again: panels that already know it must not take it for new.
 */
export class Feed {
  readonly #endpoints = new Map<number, Known>();

  constructor(
    /** The document, as the panel's watch knows it. */
    readonly window: string,
    /** The panel's zero of all times, in milliseconds of the Unix epoch. */
    private readonly originEpochMs: number,
  ) {}

  /** The batch as the panel's watch takes it. */
  take({ url, timeUs, messages }: PageBatch): PageBatch {
    const news = {
      window: this.window,
      url,
      timeUs,
      messages: messages.filter((each) => this.#isNews(each)),
    };
    return rebased(news, -Math.round(this.originEpochMs * 1000));
  }

  #isNews(message: PageMessage): boolean {
    if (message.type === 'late') return true;
    const known = this.#endpoints.get(message.endpoint);
    if (message.type === 'endpoint') {
      if (known !== undefined || this.#endpoints.size >= MOST_ENDPOINTS) return false;
      this.#endpoints.set(message.endpoint, { state: 'new', source: '', notices: new Set() });
      return true;
    }
    if (known === undefined) return false;
    if (message.type === 'state') {
      if (known.state === message.state) return false;
      known.state = message.state;
    }
    if (message.type === 'source') {
      if (known.source === message.source) return false;
      known.source = message.source;
    }
    if (message.type === 'notice') {
      if (known.notices.has(message.notice.code)) return false;
      known.notices.add(message.notice.code);
    }
    return true;
  }
}
