/** Keeps the user's own scenario in the page's address, so that a link to the page contains it. */
import { toFragment } from '../../runs/fragment.js';
import { dismiss, notify } from '../notices.js';
import { ownPart } from './settings.js';

/**
 * A scenario is packed into the address once it has not changed for this long: packing during a drag would slow the
 * drag down.
 */
const LINKED_AFTER_MS = 200;

export class OwnLink {
  /** Counts changes of the address; only the latest one takes effect. */
  #turn = 0;

  /**
   * Puts the text of a scenario into the address after LINKED_AFTER_MS. A later call in the meantime replaces an
   * earlier one.
   */
  async put(text: string): Promise<void> {
    const turn = ++this.#turn;
    await new Promise((resolve) => setTimeout(resolve, LINKED_AFTER_MS));
    if (turn !== this.#turn) return;
    const packed = await toFragment('own', text);
    if (turn !== this.#turn) return;
    ownPart.value = packed;
    if (packed === '')
      notify('info', 'own', 'This scenario is too long for a link.', 'Send its file along with the link.');
    else dismiss('own');
  }

  /** Removes the scenario from the address. */
  drop(): void {
    this.#turn += 1;
    ownPart.value = '';
  }
}
