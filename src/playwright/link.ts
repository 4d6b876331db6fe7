/**
 * The link of a test, as the `link` fixture provides it: the link that all pages share, and the links of
 * individual pages.
 */
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

/** The link that belongs to one page. */
export type PageLink = PathControl;

/** Finds the id of an observed page. @throws CallError */
export type FindPage = (page: Page) => number;

export class TestLink implements ControlledLink {
  constructor(
    /**
     * The backend of the link.
     *
     * @internal
     */
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

  /**
   * The address to which the pages send all packets of their connections; null with `devtools`, which has no
   * relay.
   */
  get relay(): RelayAddress | null {
    return this.carrier.backend === 'shaper' ? this.carrier.relay : null;
  }

  /** Changes the shared link; pages that have their own link are not affected. */
  set(change: LinkSettings): Promise<LinkChange> {
    return this.carrier.set(change);
  }

  /**
   * The link of one page: `await link.for(page).set({ capacity: '300kbps' })`. Until its first change, the page
   * uses the test's link. From the first change on, the page has its own link, with a separate capacity and
   * queue. This link starts with the settings of the test's link. `forward` is the page's upload, `backward`
   * the page's download.
   * @throws ConfigError with `linkBackend: 'devtools'`
   * @throws CallError if the page is not observed
   */
  for(page: Page): PageLink {
    if (this.carrier.backend === 'devtools')
      throw new ConfigError(
        'linkBackend',
        'shaper, which link.for(page) requires',
        'devtools',
        'remove linkBackend',
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
