/** The link of a call under test, as tests and observers see it, whatever shapes the packets. */
import type { RemoteSide } from '../inject/protocol.js';
import type { RelayAddress } from '../link/server_protocol.js';
import type { LinkRecord, PathRecord } from '../calls/record/record.js';
import type { LinkSettings } from '../link/settings.js';

export interface LinkChange {
  /** When it took effect, on the record's clock. */
  timeUs: number;
  settings: LinkSettings;
  /** For people: `500 kbps, droptail:300ms`. */
  text: string;
}

/** What changes a path: its settings, from now on. */
export interface PathControl {
  /** Grows while the path is there; null before the first change. */
  readonly record: PathRecord | null;
  /**
   * What is not given stays. Rejects with ConfigError, which names the field, and with ShaperError after the
   * link was closed or its thread ended.
   */
  set(change: LinkSettings): Promise<LinkChange>;
}

export interface ControlledLink {
  readonly backend: 'shaper' | 'devtools';
  /** Where the record's times have their zero: milliseconds since 1970. */
  readonly originEpochMs: number;
  /** Grows while the link is open. */
  readonly record: LinkRecord;
  /**
   * Changes settings from now on. What is not given stays. Rejects with ConfigError, which names the
   * field, and with ShaperError after the link was closed or its thread ended.
   */
  set(change: LinkSettings): Promise<LinkChange>;
  /** Resolves when all that happened until now is in the record. */
  sync(): Promise<void>;
  /** Frees sockets and thread. May be called again. */
  close(): Promise<void>;
}

export interface ShaperLink extends ControlledLink {
  readonly backend: 'shaper';
  /** Where every page finds every peer. */
  readonly relay: RelayAddress;
  /** Candidates of a far side that may be no page under test; addresses that are not IPv4 are not tried. */
  remote(side: RemoteSide): void;
  /** This user name fragment belongs to a page under test (its id). */
  local(ufrag: string, page: number): void;
  /**
   * The link that a page (its id) has of its own: from its first change on, the packets of its connections pass
   * it instead of the one that all share. It begins as that one did, but for the change; forward is the page's
   * upload. Where two pages are connected to each other and both have a link, their packets pass that of the page
   * that offered. The first change rejects with ConfigError for a page that has answered another page under test.
   */
  for(page: number): PathControl;
}
