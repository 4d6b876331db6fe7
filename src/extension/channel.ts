/**
 * What the extension's parts say to each other. The page's world and the panels exchange JSON texts, which the
 * bridge between them passes on without reading them.
 */
import type { PageRequest } from '../inject/protocol.js';

/** A request on its way: the answer carries the same `id`. */
export interface AskedPage {
  id: string;
  request: PageRequest;
}

/** The events by which the two worlds of a document find each other; what they say then goes over a port. */
export const PORT_OFFERED = 'ccscope-port';
export const PORT_WANTED = 'ccscope-port-wanted';

/**
 * What else goes over that port, which is no JSON: the page's world asks whether somebody is at the other end still, and
 * the bridge answers, or says that it goes.
 */
export const ARE_YOU_HERE = 'are you here';
export const STILL_HERE = 'still here';
export const GOODBYE = 'goodbye';

/** What the extension leaves in a window that it observes: a function that looks for a new document. */
export const EXTENSION_KEY = 'ccscope.extension';

/** Longer texts of a page are dropped: a batch of half a second has some ten kilobytes. */
export const MOST_CHARACTERS = 2_000_000;

/** Name of a bridge's port to one panel. */
export const portName = (panel: string): string => `ccscope ${panel}`;

/** From a bridge to all panels: a document is here. */
export interface Here {
  kind: 'here';
}

/** From the background to the bridges of a tab. */
export type ToBridge =
  /** Connect to this panel, unless you are. */
  | { kind: 'connect'; panel: string }
  /** The site is off; null: all are. */
  | { kind: 'off'; site: string | null };

/** From the extension's own pages to the background. */
export type ToBackground =
  /** A panel wants the bridges of a tab to connect to it. */
  | { kind: 'watch'; tab: number; panel: string }
  /** A site is turned off. */
  | { kind: 'off'; site: string };
