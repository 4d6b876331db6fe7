/**
 * The messages between the extension's parts. The script in the page's world (page.ts) and the panels exchange JSON
 * texts. The bridge (bridge.ts) forwards these texts between them without parsing them.
 */
import type { PageRequest } from '../inject/protocol.js';

/** A request to page.ts. The answer has the same `id`. */
export interface AskedPage {
  id: string;
  request: PageRequest;
}

/**
 * With the event PORT_OFFERED, page.ts offers a port to the bridge. With PORT_WANTED, the bridge requests a
 * port. All further messages use the port.
 */
export const PORT_OFFERED = 'ccscope-port';
export const PORT_WANTED = 'ccscope-port-wanted';

/**
 * The only messages over this port that are not JSON. With ARE_YOU_HERE, page.ts asks whether the bridge
 * still exists, and the bridge answers STILL_HERE. With GOODBYE, the bridge announces its end.
 */
export const ARE_YOU_HERE = 'are you here';
export const STILL_HERE = 'still here';
export const GOODBYE = 'goodbye';

/**
 * The key of a global symbol. Under this symbol, each observed window holds a function of page.ts that
 * connects to the bridge of the window's current document.
 */
export const EXTENSION_KEY = 'ccscope.extension';

/**
 * Texts from a page that are longer than this are dropped. A typical text covers half a second and is about 10 kB
 * long.
 */
export const MOST_CHARACTERS = 2_000_000;

/** The name of the port between a bridge and one panel. */
export const portName = (panel: string): string => `ccscope ${panel}`;

/**
 * A message from a bridge to all panels: the bridge's document exists. If the background script relays the message,
 * `tab` is the document's tab.
 */
export interface Here {
  kind: 'here';
  tab?: number;
}

/**
 * Whether a message or a port comes from one of the extension's own pages. Content scripts run in the processes of web
 * pages, which are not trusted.
 */
export const isOwnPage = ({ url = '' }: chrome.runtime.MessageSender): boolean =>
  url.startsWith(chrome.runtime.getURL(''));

/** Messages from the background script to the bridges of a tab. */
export type ToBridge =
  /** Connect to this panel, unless already connected. */
  | { kind: 'connect'; panel: string }
  /** The site was turned off. If null, all sites were turned off. */
  | { kind: 'off'; site: string | null };

/** A bridge asks the background script whether the site of its document is on. The answer is a boolean. */
export interface AskBackground {
  kind: 'is-on';
}

/** Messages from the extension's own pages to the background script. */
export type ToBackground =
  /** A panel requests connections from the bridges of a tab. */
  | { kind: 'watch'; tab: number; panel: string }
  /** The user turns a site off. */
  | { kind: 'off'; site: string }
  /** The user wants to see the page with the sites that are on. */
  | { kind: 'sites' };
