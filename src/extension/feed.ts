/** What one document tells a panel, made ready for the panel's watch: on its clock, and told once. */
import type { PageBatch, PageMessage } from '../inject/protocol.js';
import { rebased } from '../inject/rebase.js';

/** A document that opens more connections than this is not observed any further. */
const MOST_ENDPOINTS = 2000;

/** What a panel knows of an endpoint. */
interface Known {
  state: string;
  source: string;
  notices: Set<string>;
}

/**
 * One document's batches. Each time that a panel is opened the observer tells everything that is open again, to all
 * panels: those that know it already must not take it for new.
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
