/** The page in a tab's panel: the browser's side panel, its sidebar or its DevTools. */
import { signal } from '@preact/signals';
import { wrap } from 'comlink';
import { render } from 'preact';
import { useEffect } from 'preact/hooks';

import { isDark } from '../boards/theme.js';
import { epochMs } from '../inject/natives.js';
import { Model } from '../overlay/model.js';
import { listenForBookmarks, RecordPanel } from '../overlay/record_panel.js';
import { View } from '../overlay/view.js';
import type { WatchService, WatchStart } from '../overlay/watch_service.js';
import { readActionResult } from '../watch/action_result.js';
import type { ToBackground } from './channel.js';
import { siteName, siteOf } from './sites.js';
import { findTab } from './tab.js';
import { TabLink, type Document } from './tab_link.js';

const documents = signal<readonly Document[]>([]);
/** Whether the site will still be observed after the page is reloaded; null if unknown. */
const staysOn = signal<boolean | null>(null);

/** Absent in Firefox's DevTools panels, where extensions can use only a few APIs. */
const permissions = (chrome as { permissions?: typeof chrome.permissions }).permissions;

async function askWhetherOn(site: string | null): Promise<void> {
  staysOn.value =
    site === null || permissions === undefined ? null : await permissions.contains({ origins: [site] });
}

const askBackground = (message: ToBackground): void => void chrome.runtime.sendMessage(message);

/** The site of the tab's page. */
const siteShown = (): string | null => siteOf(documents.value.find(({ isTop }) => isTop)?.url);

function Header() {
  const site = siteShown();
  const on = staysOn.value;
  useEffect(() => {
    const ask = (): void => void askWhetherOn(site);
    ask();
    permissions?.onAdded.addListener(ask);
    permissions?.onRemoved.addListener(ask);
    return () => {
      permissions?.onAdded.removeListener(ask);
      permissions?.onRemoved.removeListener(ask);
    };
  }, [site]);
  return (
    <header>
      <b>ccscope</b>
      <span class="soft site">{site === null ? 'not on' : siteName(site)}</span>
      {site !== null && (
        <button type="button" onClick={() => askBackground({ kind: 'off', site })}>
          Turn off
        </button>
      )}
      <button type="button" onClick={() => askBackground({ kind: 'sites' })}>
        Sites
      </button>
      {site !== null && on === false && (
        <p class="hint">
          Only the page as it is now is observed.{' '}
          <button type="button" onClick={() => void permissions?.request({ origins: [site] })}>
            Keep it on for this site
          </button>{' '}
          to see calls from their start when the page is loaded again.
        </p>
      )}
    </header>
  );
}

function Panel({ model }: { model: Model | null }) {
  return (
    <main class="panel" data-theme={isDark.value ? 'dark' : 'light'}>
      <Header />
      {/* The recording can be saved even if the page is gone or turned off. */}
      {model !== null && <RecordPanel model={model} />}
      {model === null || documents.value.length === 0 ? (
        <p class="empty">
          ccscope is not on for this page. Click its button in the toolbar to turn it on; it is off everywhere
          until you do.
        </p>
      ) : (
        <View model={model} />
      )}
    </main>
  );
}

function watchTab(tab: number): Model {
  const originEpochMs = epochMs();
  const { port1, port2 } = new MessageChannel();
  // The extension stores nothing on disk (`spills`). Data that are too old to be kept in memory are lost.
  const start: WatchStart = { originEpochMs, place: 'worker', spills: false, port: port2 };
  new Worker('watch_worker.js').postMessage(start, [port2]);
  const watch = wrap<WatchService>(port1);
  const link: { tab: TabLink | null } = { tab: null };
  const model = new Model(watch, async (action, window) =>
    readActionResult(await link.tab?.ask(window, { type: 'act', action }).catch(() => null)),
  );
  // If the watch cannot process a batch, its worker writes the error to the console. The next batch may be
  // valid, so nothing else is done.
  const refreshed = (done: Promise<void>): void =>
    void done.then(
      () => model.refresh(),
      () => undefined,
    );
  link.tab = new TabLink(tab, originEpochMs, {
    batch: (batch, { isTop }) => refreshed(watch.hear(batch, { page: 0, place: isTop ? 'page' : 'iframe' })),
    documents: (now) => (documents.value = now),
    ended: ({ window }) => refreshed(watch.windowEnded(window)),
  });
  return model;
}

const tab = await findTab(() => location.reload());
const model = tab === null ? null : watchTab(tab);
if (model !== null) listenForBookmarks(document, model);
render(<Panel model={model} />, document.body);
