/** The link of a test: a relay, whose address the pages of the test use as the address of every peer. */
import { parseLinkSettings, withDefaults, type LinkSettings } from '../link/settings.js';
import { settingsText } from '../link/settings_text.js';
import { CapacityFeeds } from './capacity_feeds.js';
import type { ShaperLink } from './controlled_link.js';
import { pathSettings } from './path_settings.js';
import { openRecordedLink, type RecordedLinkOptions } from './recorded_link.js';

export interface ShaperLinkOptions extends Pick<RecordedLinkOptions, 'originEpochMs' | 'thread'> {
  settings?: LinkSettings;
  /** UDP port of the relay; default: any free port. */
  port?: number;
}

/** Rejects with ConfigError for invalid settings, and with ShaperError for a port that cannot be bound. */
export async function openShaperLink(options: ShaperLinkOptions = {}): Promise<ShaperLink> {
  const { port = 0, originEpochMs, thread } = options;
  const settings = withDefaults(parseLinkSettings(options.settings ?? {}));
  const feeds = new CapacityFeeds();
  const { change, commit } = feeds.begin(pathSettings(settings));
  const link = await openRecordedLink({
    sockets: { kind: 'relay', port },
    tellsPackets: true,
    begin: { change, text: settingsText(settings), settings },
    seed: settings.seed ?? 1,
    ...{ feeds, originEpochMs, thread },
  });
  commit();
  return link;
}
