/** The link of a call under test as tests and observers see it, independent of how the packets are shaped. */
import type { RemoteSide } from '../inject/protocol.js';
import type { RelayAddress } from '../link/server_protocol.js';
import type { LinkRecord, PathRecord } from '../calls/record/record.js';
import type { LinkSettings } from '../link/settings.js';

export interface LinkChange {
  /** When the change took effect, on the record's clock. */
  timeUs: number;
  settings: LinkSettings;
  /** The settings as readable text, such as `500 kbps, droptail:300ms`. */
  text: string;
}

/** Changes the settings of a path. */
export interface PathControl {
  /** The record of the path, which grows while the path exists; null before the first change. */
  readonly record: PathRecord | null;
  /**
   * Omitted settings keep their values. Rejects with ConfigError, which names the field, and with ShaperError if the
   * link is closed or its thread has ended.
   */
  set(change: LinkSettings): Promise<LinkChange>;
}

export interface ControlledLink {
  readonly backend: 'shaper' | 'devtools';
  /** The zero of the record's times, in milliseconds since 1970. */
  readonly originEpochMs: number;
  /** The record of the link, which grows while the link is open. */
  readonly record: LinkRecord;
  /**
   * Changes settings at once. Omitted settings keep their values. Rejects with ConfigError, which names the field,
   * and with ShaperError if the link is closed or its thread has ended.
   */
  set(change: LinkSettings): Promise<LinkChange>;
  /** Resolves when everything that has happened so far is in the record. */
  sync(): Promise<void>;
  /** Closes the link. Closing again does nothing. */
  close(): Promise<void>;
}

export interface ShaperLink extends ControlledLink {
  readonly backend: 'shaper';
  /** The address at which every page reaches every peer. */
  readonly relay: RelayAddress;
  /**
   * Adds the remote candidates that a page received through signalling. They may belong to an agent that is not under
   * test, such as a server. Only IPv4 addresses are tried.
   */
  remote(side: RemoteSide): void;
  /**
   * Announces that this username fragment (ICE ufrag) belongs to a page under test. `page` is the id of that page.
   */
  local(ufrag: string, page: number): void;
  /**
   * Returns the control of a page's own link; `page` is the page's id. The first `set` opens this link, with the
   * initial settings of the shared link modified by the change. From then on, the packets of the page's connections
   * use this link instead of the shared link. Its forward direction is the page's upload. If both pages of a
   * connection have their own link, their packets use the link of the page that sent the offer. The first `set`
   * rejects with ConfigError if the page has already answered an offer from another page under test.
   */
  for(page: number): PathControl;
}
