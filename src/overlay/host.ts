/**
 * The overlay's element in the page: in the top layer, where nothing of the page lies over it, and put back when the
 * page takes it away. Keys and pointers that are meant for the overlay do not go up to the page's own listeners. Those
 * that listen in the capture phase hear them on their way down, with the overlay's element as their target: whatever
 * would stop them there would keep them from the overlay, too.
 */
import { clearTimeout, listen, setTimeout } from '../inject/natives.js';

/** An element with this name may have a shadow root without being defined, so no registry is touched. */
const ELEMENT = 'ccscope-overlay';
const HOST_STYLE =
  'all:initial;position:fixed;z-index:2147483647;inset:auto 0 0 auto;margin:0;border:0;padding:0;overflow:visible;background:none';
/** A page that takes it away again and again gets it back ever later. */
const FIRST_WAIT_MS = 50;
const LONGEST_WAIT_MS = 5000;

/** A page's shortcuts are not meant by what is typed into the overlay: these end at its root. */
const KEPT_EVENTS = [
  ...['keydown', 'keypress', 'keyup', 'beforeinput', 'input', 'change', 'paste', 'copy', 'cut'],
  ...['pointerdown', 'pointermove', 'pointerup', 'mousedown', 'mousemove', 'mouseup', 'click', 'dblclick'],
  ...['auxclick', 'contextmenu', 'wheel', 'touchstart', 'touchmove', 'touchend', 'focusin', 'focusout'],
];

export class Host {
  readonly #host: HTMLElement;
  readonly root: ShadowRoot;
  readonly #observer: MutationObserver;
  #waitMs = FIRST_WAIT_MS;
  #timer: ReturnType<typeof setTimeout> | null = null;
  #isRemoved = false;

  constructor(css: string) {
    this.#host = document.createElement(ELEMENT);
    this.#host.style.cssText = HOST_STYLE;
    this.root = this.#host.attachShadow({ mode: 'closed' });
    const sheet = new CSSStyleSheet();
    sheet.replaceSync(css);
    this.root.adoptedStyleSheets = [sheet];
    for (const type of KEPT_EVENTS) listen(this.root, type, (event) => event.stopPropagation());
    this.#observer = new MutationObserver(() => this.#look());
    // A modal dialog, or an element in fullscreen, would lie over the overlay. While there is one, browsers take no input
    // elsewhere, so the overlay is only to be seen.
    for (const type of ['fullscreenchange', 'toggle'])
      document.addEventListener(type, this.#raise, { capture: true });
  }

  /** Puts it into the document, now and whenever it is missing. */
  put(): void {
    if (this.#isRemoved) return;
    document.documentElement.append(this.#host);
    // A popover of the kind manual closes only when it is told to.
    this.#host.popover = 'manual';
    this.#host.showPopover();
    this.#observer.disconnect();
    this.#observer.observe(document, { childList: true });
    this.#observer.observe(document.documentElement, { childList: true });
  }

  #look(): void {
    if (this.#host.isConnected || this.#timer !== null || this.#isRemoved) return;
    this.#timer = setTimeout(() => {
      this.#timer = null;
      if (this.#host.isConnected) return;
      // A document that is being replaced has no element for a moment.
      if (document.children.length === 0) this.#look();
      else this.put();
    }, this.#waitMs);
    this.#waitMs = Math.min(2 * this.#waitMs, LONGEST_WAIT_MS);
  }

  readonly #raise = ({ type, target }: Event): void => {
    const isOver =
      type === 'fullscreenchange' || (target instanceof Element && target.matches('dialog:modal'));
    if (!isOver || !this.#host.isConnected) return;
    const { activeElement } = this.root;
    this.#host.hidePopover();
    this.#host.showPopover();
    if (activeElement instanceof HTMLElement) activeElement.focus();
  };

  remove(): void {
    this.#isRemoved = true;
    this.#observer.disconnect();
    if (this.#timer !== null) clearTimeout(this.#timer);
    for (const type of ['fullscreenchange', 'toggle'])
      document.removeEventListener(type, this.#raise, { capture: true });
    this.#host.remove();
  }
}
