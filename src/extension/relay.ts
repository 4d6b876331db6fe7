/**
 * Firefox gives messages and ports of content scripts to an extension's background script, its sidebar and its tabs,
 * but not to its panels in DevTools (https://bugzilla.mozilla.org/show_bug.cgi?id=1453343). Messages and ports of the
 * background script do reach them. For such a panel, the background script therefore stands between panel and bridge.
 */
import { isOwnPage, portName, type Here } from './channel.js';

/** A document, as a panel sees it at the other end of a port. */
export interface Source {
  tab: number;
  url: string;
  isTop: boolean;
}

/**
 * Panels whose id begins with this have their ports relayed. In Firefox's panels in DevTools, extensions have only the
 * APIs that content scripts have, and `tabs` is not among them.
 */
const RELAYED = 'relayed ';

/** An id for a new panel. */
export function newPanelId(): string {
  const isRelayed = (chrome as { tabs?: typeof chrome.tabs }).tabs === undefined;
  return `${isRelayed ? RELAYED : ''}${crypto.randomUUID()}`;
}

export const isRelayed = (panel: string): boolean => panel.startsWith(RELAYED);

/** The document at the other end of a port for `panel`; null if the port is for another panel. */
export function sourceOf({ name, sender }: chrome.runtime.Port, panel: string): Source | null {
  if (sender === undefined) return null;
  if (!isRelayed(panel)) {
    if (name !== portName(panel) || sender.tab?.id === undefined) return null;
    return { tab: sender.tab.id, url: sender.url ?? '', isTop: sender.frameId === 0 };
  }
  const start = `${portName(panel)} `;
  return name.startsWith(start) && isOwnPage(sender)
    ? (JSON.parse(name.slice(start.length)) as Source)
    : null;
}

/** The tab of the document that a message `here` is about; undefined if the message is from elsewhere. */
export const tabOf = (message: Here, sender: chrome.runtime.MessageSender): number | undefined =>
  isOwnPage(sender) ? message.tab : sender.tab?.id;

function forward(from: chrome.runtime.Port, to: chrome.runtime.Port): void {
  from.onMessage.addListener((text: unknown) => to.postMessage(text));
  from.onDisconnect.addListener(() => to.disconnect());
}

/** Lets the background script relay, in a browser where that is necessary. */
export function relay(): void {
  chrome.runtime.onConnect.addListener((bridge) => {
    const { name, sender } = bridge;
    if (!name.startsWith(portName(RELAYED)) || sender?.tab?.id === undefined) return;
    const source: Source = { tab: sender.tab.id, url: sender.url ?? '', isTop: sender.frameId === 0 };
    const panel = chrome.runtime.connect({ name: `${name} ${JSON.stringify(source)}` });
    forward(bridge, panel);
    forward(panel, bridge);
  });
  chrome.runtime.onMessage.addListener((message: { kind: string }, { tab }) => {
    if (message.kind !== 'here' || tab?.id === undefined) return;
    chrome.runtime.sendMessage({ kind: 'here', tab: tab.id } satisfies Here).catch(() => undefined);
  });
}
