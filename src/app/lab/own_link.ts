/**
 * Keeps the user's own scenario in the page's address, so that links to the page contain the scenario. Also keeps a
 * network that the user has built in the tab's storage, where it survives a visit to another page.
 */
import { toFragment } from '../../runs/fragment.js';
import { dismiss, notify } from '../notices.js';
import { FRESH_NETWORK_TEXT } from './edits.js';
import { ownPart } from './settings.js';

/**
 * A scenario is packed into the address once it has not changed for this long: packing during a drag would slow the
 * drag down.
 */
const LINKED_AFTER_MS = 200;
const STORED = 'ccscope-own-network';

function store(packed: string): void {
  try {
    sessionStorage.setItem(STORED, packed);
  } catch {
    // The browser refuses to store anything, or the tab's storage is full.
  }
}

/** The network that the user last built in this tab, as part of an address; empty if there is none. */
export function storedOwn(): string {
  try {
    return sessionStorage.getItem(STORED) ?? '';
  } catch {
    return '';
  }
}

export class OwnLink {
  /** Counts changes of the address; only the latest one takes effect. */
  #turn = 0;
  #text: string | null = null;

  /** The text that `put` or `found` was last called with; null before that and after `drop`. */
  get text(): string | null {
    return this.#text;
  }

  /**
   * Puts the text of a scenario into the address after LINKED_AFTER_MS. A further call within this time replaces the
   * text. `isBuilt`: whether the user has built the scenario with the controls. Only such a scenario is kept in the
   * tab's storage.
   */
  async put(text: string, isBuilt: boolean): Promise<void> {
    const turn = ++this.#turn;
    this.#text = text;
    await new Promise((resolve) => setTimeout(resolve, LINKED_AFTER_MS));
    if (turn !== this.#turn) return;
    const packed = await toFragment('own', text);
    if (turn !== this.#turn) return;
    ownPart.value = packed;
    if (packed !== '' && isBuilt && text !== FRESH_NETWORK_TEXT) store(packed);
    if (packed === '')
      notify(
        'info',
        'own',
        'This scenario is too large to be part of the address.',
        'Send its file along with the address.',
      );
    else dismiss('own');
  }

  /** To be called with the text of the scenario that the address already contains. */
  found(text: string): void {
    this.#text = text;
  }

  /** Removes the scenario from the address. */
  drop(): void {
    this.#turn += 1;
    this.#text = null;
    ownPart.value = '';
  }
}
