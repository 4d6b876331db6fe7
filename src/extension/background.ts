/**
 * The extension's background: it turns sites on and off, and connects panels and bridges. It stores nothing: the
 * sites that are on are those for which the user has granted the permission.
 */
import type { ToBackground, ToBridge } from './channel.js';
import { scriptsOf, siteOf, sitesOf } from './sites.js';

/** Firefox's API for panels; Chrome has chrome.sidePanel. */
interface Sidebar {
  open(): Promise<void>;
}
const { sidebarAction } = chrome as unknown as { sidebarAction?: Sidebar };

/** Changes of the registered scripts run one after another: each starts from the result of the previous one. */
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
 * Ends the observation of everything that a pattern covers, in all tabs, including pages that are observed only
 * because of a click. In the browser's settings, people can withdraw a pattern that covers several sites: then
 * the observation ends everywhere; on sites that are still on, it resumes with the next document that they load.
 */
async function end(origin: string): Promise<void> {
  const site = siteOf(origin) === origin ? origin : null;
  for (const { id } of await chrome.tabs.query({})) if (id !== undefined) tell(id, { kind: 'off', site });
}

/** Messages the bridges of a tab. A tab without a bridge needs no message. */
function tell(tab: number, message: ToBridge): void {
  chrome.tabs.sendMessage(tab, message).catch(() => undefined);
}

/** Opens the panel of a tab. Only possible during a click: browsers refuse it at any other time. */
function openPanel(tab: number): void {
  if (sidebarAction !== undefined) void sidebarAction.open();
  else {
    void chrome.sidePanel.setOptions({ tabId: tab, path: `panel.html?tab=${tab}`, enabled: true });
    void chrome.sidePanel.open({ tabId: tab });
  }
}

/** Puts the scripts into documents that already exist. */
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
  // The click itself grants the permission for the page as it is now; this request is for the site from now on.
  chrome.permissions.request({ origins: [site] }).catch(() => false);
  inject(id).catch((error: unknown) => console.warn('ccscope cannot look into this page:', error));
});

/** Turns a site off: after this, the extension neither observes the site nor keeps its permission. */
async function turnOff(site: string): Promise<void> {
  await end(site);
  await chrome.permissions.remove({ origins: [site] });
  await register();
}

/**
 * Only the extension's own pages may send requests: content scripts run in processes of pages, which are not
 * trusted.
 */
const isOwnPage = ({ url = '' }: chrome.runtime.MessageSender): boolean =>
  url.startsWith(chrome.runtime.getURL(''));

chrome.runtime.onMessage.addListener((message: ToBackground, sender, respond) => {
  if (!isOwnPage(sender)) return false;
  if (message.kind === 'watch') tell(message.tab, { kind: 'connect', panel: message.panel });
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
