/**
 * The messages between the extension's parts. The script in the page's world and the panels exchange JSON texts,
 * which the bridge between them forwards without reading.
 */
import type { PageRequest } from '../inject/protocol.js';

/** A request: the answer carries the same `id`. */
export interface AskedPage {
  id: string;
  request: PageRequest;
}

/** The events by which the two worlds of a document find each other; afterwards they use a port. */
export const PORT_OFFERED = 'ccscope-port';
export const PORT_WANTED = 'ccscope-port-wanted';

/**
 * The other messages over that port, which are not JSON: the script in the page's world asks whether the other
 * end still exists, and the bridge answers, or announces that it ends.
 */
export const ARE_YOU_HERE = 'are you here';
export const STILL_HERE = 'still here';
export const GOODBYE = 'goodbye';

/**
 * The key of a global symbol. Under it, the extension stores a function in each window that it observes; the
 * function checks for a new document.
 */
export const EXTENSION_KEY = 'ccscope.extension';

/** Longer texts from a page are dropped; a usual batch, which covers half a second, is about 10 kB long. */
export const MOST_CHARACTERS = 2_000_000;

/** Name of a bridge's port to one panel. */
export const portName = (panel: string): string => `ccscope ${panel}`;

/** From a bridge to all panels: there is a document. */
export interface Here {
  kind: 'here';
}

/** From the background to the bridges of a tab. */
export type ToBridge =
  /** Connect to this panel, unless already connected. */
  | { kind: 'connect'; panel: string }
  /** The site was turned off; null: all sites. */
  | { kind: 'off'; site: string | null };

/** From the extension's own pages to the background. */
export type ToBackground =
  /** A panel requests connections from the bridges of a tab. */
  | { kind: 'watch'; tab: number; panel: string }
  /** A site is turned off. */
  | { kind: 'off'; site: string };
