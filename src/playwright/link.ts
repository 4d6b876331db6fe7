/** The link of a test, as the fixture `link` hands it out: the one that all pages share, and their own. */
import type { Page } from '@playwright/test';

import type { LinkRecord } from '../calls/record/record.js';
import type {
  ControlledLink,
  DevtoolsLink,
  LinkChange,
  LinkSettings,
  PathControl,
  ShaperLink,
} from '../shaper/index.js';
import { ConfigError } from '../text/quantities.js';
import type { RelayAddress } from '../link/server_protocol.js';

/** The link that a page has of its own. */
export type PageLink = PathControl;

/** Finds the id of an observed page. @throws CallError */
export type FindPage = (page: Page) => number;

export class TestLink implements ControlledLink {
  constructor(
    /** What carries the packets. */
    readonly carrier: ShaperLink | DevtoolsLink,
    private readonly find: FindPage,
  ) {}

  get backend(): ControlledLink['backend'] {
    return this.carrier.backend;
  }

  get originEpochMs(): number {
    return this.carrier.originEpochMs;
  }

  get record(): LinkRecord {
    return this.carrier.record;
  }

  /** Where the pages find every peer; null with `devtools`, which has no relay. */
  get relay(): RelayAddress | null {
    return this.carrier.backend === 'shaper' ? this.carrier.relay : null;
  }

  /** Changes what all pages share, but for those that have a link of their own. */
  set(change: LinkSettings): Promise<LinkChange> {
    return this.carrier.set(change);
  }

  /**
   * The link of one participant. From its first change on it is the page's own, with a capacity and a queue that
   * nobody shares: `await link.for(page).set({ capacity: '300kbps' })`. It begins as the test's link did, but for
   * the change. Forward is the page's upload, `backward` its download.
   * @throws ConfigError with `linkBackend: 'devtools'`
   * @throws CallError if the page is not observed
   */
  for(page: Page): PageLink {
    if (this.carrier.backend === 'devtools')
      throw new ConfigError(
        'linkBackend',
        'shaper for the links of single pages',
        'devtools',
        'leave linkBackend out',
      );
    return this.carrier.for(this.find(page));
  }

  sync(): Promise<void> {
    return this.carrier.sync();
  }

  close(): Promise<void> {
    return this.carrier.close();
  }
}
