/**
 * Prepares the reports of one document for a panel's watch (the worker that records what is observed). Converts times
 * to the panel's clock, and drops duplicates.
 */
import { ClockShift } from '../inject/clocks.js';
import { sectionOf, type PageBatch, type PageMessage } from '../inject/protocol.js';
import { rebased } from '../inject/rebase.js';

/** The largest number of connections of a document that are recorded; further connections are ignored. */
const MOST_ENDPOINTS = 2000;

/** The newest reports about an endpoint (one of the page's RTCPeerConnections), to detect repetitions. */
interface Known {
  state: string;
  source: string;
  notices: Set<string>;
  /** For each media section, the time of the latest report about an action on it. */
  actions: Map<string, number>;
}

/**
 * The reports of one document, on their way to one panel. When a panel is opened, the observer reports all open
 * connections again, and every panel receives these reports. A panel that already knows a connection must not treat
 * the connection as new.
 */
export class Feed {
  readonly #endpoints = new Map<number, Known>();
  readonly #clock = new ClockShift();

  constructor(
    /** The name of the document in the panel's watch. */
    readonly window: string,
    /** The origin of the panel's times, in milliseconds since the Unix epoch. */
    private readonly originEpochMs: number,
    /** The panel's clock, in milliseconds since the Unix epoch. */
    private readonly epochMs: () => number,
  ) {}

  /** Converts a batch of reports into the form that the panel's watch expects. */
  take({ url, timeUs, messages }: PageBatch): PageBatch {
    const news = {
      window: this.window,
      url,
      timeUs,
      messages: messages.filter((each) => this.#isNews(each)),
    };
    const laterUs = this.#clock.laterUs(timeUs, this.epochMs() * 1000);
    return rebased(news, laterUs - Math.round(this.originEpochMs * 1000));
  }

  #isNews(message: PageMessage): boolean {
    if (message.type === 'late') return true;
    const known = this.#endpoints.get(message.endpoint);
    if (message.type === 'endpoint') {
      if (known !== undefined || this.#endpoints.size >= MOST_ENDPOINTS) return false;
      this.#endpoints.set(message.endpoint, {
        state: 'new',
        source: '',
        notices: new Set(),
        actions: new Map(),
      });
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
    if (message.type === 'action') {
      const section = sectionOf(message.action.target);
      if (known.actions.get(section) === message.timeUs) return false;
      known.actions.set(section, message.timeUs);
    }
    return true;
  }
}
