/**
 * The overlay's element in the page. It is in the top layer, above everything in the page. If the page removes
 * the element, it is inserted again. Key and pointer events for the overlay do not bubble up to listeners of
 * the page. The page's capturing listeners still receive these events, with the overlay's element as the target.
 * If the events were stopped before these listeners, the overlay would not receive the events either.
 */
import { clearTimeout, listen, setTimeout } from '../inject/natives.js';

/**
 * An element with a hyphen in its name may have a shadow root even if its name is not registered. So the custom
 * element registry of the page stays unchanged.
 */
const ELEMENT = 'ccscope-overlay';
const HOST_STYLE =
  'all:initial;position:fixed;z-index:2147483647;inset:auto 0 0 auto;margin:0;border:0;padding:0;overflow:visible;background:none';
/** If a page removes the element repeatedly, it is inserted again after increasing delays. */
const FIRST_WAIT_MS = 50;
const LONGEST_WAIT_MS = 5000;

/**
 * These events stop at the root of the overlay, because input for the overlay must not trigger shortcuts of the
 * page.
 */
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
    // A new modal dialog or fullscreen element covers the overlay, so the overlay is raised above this element.
    // While such an element is shown, browsers accept input nowhere else. So the overlay can be seen but not
    // used.
    for (const type of ['fullscreenchange', 'toggle'])
      document.addEventListener(type, this.#raise, { capture: true });
  }

  /** Inserts the overlay into the document, now and whenever it is missing. */
  put(): void {
    if (this.#isRemoved) return;
    document.documentElement.append(this.#host);
    // A popover of kind `manual` closes only when a script closes it.
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
      // While a document is being replaced, it has no root element for a moment.
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
