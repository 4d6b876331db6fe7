/**
 * The extension's background script. It turns sites on and off, and connects panels with bridges (the extension's
 * scripts in documents, see bridge.ts). It stores nothing: a site is on if the user has granted the permission for
 * it.
 */
import { isOwnPage, type AskBackground, type ToBackground, type ToBridge } from './channel.js';
import { relay } from './relay.js';
import { scriptsOf, siteOf, sitesOf } from './sites.js';

/** Firefox's API for panels; Chrome has chrome.sidePanel. */
interface Sidebar {
  open(): Promise<void>;
}
const { sidebarAction } = chrome as unknown as { sidebarAction?: Sidebar };

/**
 * Changes to the registered scripts run one after another, since each change depends on the result of the previous
 * change.
 */
let changes: Promise<unknown> = Promise.resolve();
const inTurn = (change: () => Promise<void>): Promise<void> => {
  const done = changes.then(change);
  changes = done.catch(() => undefined);
  return done;
};

/** Registers the scripts for the sites that have a permission, and unregisters all others. */
const register = (): Promise<void> =>
  inTurn(async () => {
    const { origins: permitted = [] } = await chrome.permissions.getAll();
    const registered = await chrome.scripting.getRegisteredContentScripts();
    const known = sitesOf(registered);
    const gone = registered.filter(({ matches = [] }) => !matches.every((site) => permitted.includes(site)));
    if (gone.length > 0) await chrome.scripting.unregisterContentScripts({ ids: gone.map(({ id }) => id) });
    const fresh = permitted.filter((site) => !known.includes(site));
    if (fresh.length > 0) await chrome.scripting.registerContentScripts(fresh.flatMap(scriptsOf));
  });

/**
 * Stops observing all pages that the match pattern `origin` covers, in all tabs. This includes pages that are
 * observed only because of a click. In the browser's settings, the user can also withdraw a pattern that covers
 * several sites. In this case, the observation of all sites stops. A site that is still on is observed again from its
 * next document onwards.
 */
async function end(origin: string): Promise<void> {
  const site = siteOf(origin) === origin ? origin : null;
  for (const { id } of await chrome.tabs.query({})) if (id !== undefined) tell(id, { kind: 'off', site });
}

/** Sends a message to the bridges of a tab. Without a bridge in the tab, sending fails, which is not an error. */
function tell(tab: number, message: ToBridge): void {
  chrome.tabs.sendMessage(tab, message).catch(() => undefined);
}

/** Opens the panel of a tab. Browsers allow this only in response to a click. */
function openPanel(tab: number): void {
  if (sidebarAction !== undefined) void sidebarAction.open();
  else {
    void chrome.sidePanel.setOptions({ tabId: tab, path: `panel.html?tab=${tab}`, enabled: true });
    void chrome.sidePanel.open({ tabId: tab });
  }
}

/** Injects the scripts into the documents that a tab already contains. */
async function inject(tabId: number): Promise<void> {
  const target = { tabId, allFrames: true };
  const common = { target, injectImmediately: true };
  await chrome.scripting.executeScript({ ...common, files: ['bridge.js'], world: 'ISOLATED' });
  await chrome.scripting.executeScript({ ...common, files: ['page.js'], world: 'MAIN' });
}

chrome.action.onClicked.addListener(({ id, url }) => {
  if (id === undefined) return;
  const site = siteOf(url);
  openPanel(id);
  if (site === null) return;
  // The click gives only temporary access to the page (`activeTab`). This call requests lasting access to the site.
  chrome.permissions.request({ origins: [site] }).catch(() => false);
  inject(id).catch((error: unknown) => console.warn('ccscope cannot look into this page:', error));
});

/** Turns a site off: ends its observation and gives up its permission. */
async function turnOff(site: string): Promise<void> {
  await end(site);
  await chrome.permissions.remove({ origins: [site] });
  await register();
}

/**
 * Whether the site of a document is on. A frame with an opaque origin belongs to the site of its tab, whose address is
 * known here only if that site is on.
 */
async function isOn({ origin, tab }: chrome.runtime.MessageSender): Promise<boolean> {
  const site = siteOf(origin) ?? siteOf(tab?.url);
  return site !== null && (await chrome.permissions.contains({ origins: [site] }));
}

chrome.runtime.onMessage.addListener((message: ToBackground | AskBackground, sender, respond) => {
  if (message.kind === 'is-on') {
    void isOn(sender).then(respond, () => respond(false));
    return true;
  }
  // Only the extension's own pages may send requests.
  if (!isOwnPage(sender)) return false;
  if (message.kind === 'watch') tell(message.tab, { kind: 'connect', panel: message.panel });
  // In Firefox, pages in DevTools cannot do this themselves.
  if (message.kind === 'sites') void chrome.runtime.openOptionsPage();
  if (message.kind !== 'off') return false;
  void turnOff(message.site).finally(() => respond(null));
  return true;
});

chrome.permissions.onAdded.addListener(() => void register());
chrome.permissions.onRemoved.addListener(({ origins = [] }) => {
  for (const origin of origins) void end(origin);
  void register();
});
chrome.runtime.onInstalled.addListener(() => void register());
chrome.runtime.onStartup.addListener(() => void register());
if (sidebarAction !== undefined) relay();
