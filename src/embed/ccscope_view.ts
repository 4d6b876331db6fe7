/**
 * The element `<ccscope-view>`. Reads its attributes and properties, decides when to draw, and releases its resources
 * when it is removed from the page.
 */
import { render } from 'preact';
import css from 'ccscope:view.css';

import { darkTheme, lightTheme } from '../charts/index.js';
import { ConfigError } from '../text/quantities.js';
import { ATTRIBUTES, readAttributes, themeOf, type Attributes } from './attributes.js';
import { followPage } from './page_theme.js';
import { Picture } from './picture.js';
import type { CcscopeView as CcscopeViewElement, ThemeName } from './public.js';
import { view } from './view.js';

/** An element that is at most this far from the visible part of the page already counts as in view. */
const NEAR = '200px';

/** Node has no HTMLElement, but it may import this module to render pages. Any class is sufficient there. */
const Base = typeof HTMLElement === 'undefined' ? (Object as unknown as typeof HTMLElement) : HTMLElement;

export class CcscopeView extends Base implements CcscopeViewElement {
  static readonly observedAttributes: readonly string[] = ATTRIBUTES;

  declare scenario: string | null;
  declare src: string | null;
  declare cell: string | null;
  declare charts: string | null;
  declare flow: string | null;
  declare lab: string | null;

  readonly #root = this.attachShadow({ mode: 'open' });
  readonly #probe = document.createElement('span');
  readonly #place = document.createElement('div');
  readonly #picture = new Picture({
    ready: (detail) => this.#tell('ccscope-ready', detail),
    error: (detail) => this.#tell('ccscope-error', detail),
  });
  /** Stops everything that began when the element entered a page; null while the element is in no page. */
  #leave: (() => void) | null = null;
  #isInView = false;
  #isDue = false;
  #isDark = false;

  constructor() {
    super();
    const sheet = new CSSStyleSheet();
    sheet.replaceSync(css);
    this.#root.adoptedStyleSheets = [sheet];
    this.#probe.className = 'probe';
    this.#place.className = 'place';
    this.#root.append(this.#probe, this.#place);
    this.#picture.stage.subscribe(() => this.#paint());
  }

  connectedCallback(): void {
    // If the element was only moved within the page, it is already set up.
    if (this.#leave !== null) return;
    this.#takeProperties();
    const unfollow = followPage(this, this.#probe, (isDark) => {
      this.#isDark = isDark;
      this.#paint();
    });
    const seen = new IntersectionObserver(
      (entries) => {
        this.#isInView = entries.at(-1)?.isIntersecting ?? false;
        if (this.#isDue) this.#update();
      },
      { rootMargin: NEAR },
    );
    seen.observe(this);
    const changed = new MutationObserver(() => this.#ask());
    changed.observe(this, { childList: true, characterData: true, subtree: true });
    const parsed = (): void => this.#ask();
    document.addEventListener('DOMContentLoaded', parsed);
    this.#leave = () => {
      unfollow();
      seen.disconnect();
      changed.disconnect();
      document.removeEventListener('DOMContentLoaded', parsed);
      this.#isInView = false;
      this.#picture.close();
      render(null, this.#place);
    };
    render(view(this.#picture), this.#place);
    this.#ask();
  }

  disconnectedCallback(): void {
    queueMicrotask(() => {
      if (this.isConnected) return;
      this.#leave?.();
      this.#leave = null;
    });
  }

  attributeChangedCallback(name: string): void {
    if (name === 'theme') this.#paint();
    this.#ask();
  }

  /**
   * Handles properties that were set before the element was defined. Such properties hide the class's accessors, so
   * they are deleted and set again.
   */
  #takeProperties(): void {
    for (const name of ATTRIBUTES) {
      if (!Object.hasOwn(this, name)) continue;
      const { [name]: value } = this;
      Reflect.deleteProperty(this, name);
      Object.assign(this, { [name]: value });
    }
  }

  /** Reads the attributes in a microtask, so that several changes at once cause only one reading. */
  #ask(): void {
    if (this.#isDue) return;
    this.#isDue = true;
    queueMicrotask(() => this.#update());
  }

  #update(): void {
    if (!this.#isDue || !this.#isInView || this.#leave === null) return;
    this.#isDue = false;
    try {
      const choices = readAttributes(this.#attributes(), this.#inline(), document.baseURI);
      if (choices !== null) void this.#picture.show(choices);
      // While the page loads, the element's content may still be missing. An element that has nothing to draw is
      // therefore not an error yet.
      else if (document.readyState !== 'loading') this.#picture.fail(NOTHING);
    } catch (error) {
      this.#picture.fail(error);
    }
  }

  #attributes(): Attributes {
    const values = ATTRIBUTES.map((name) => [name, this.getAttribute(name)]);
    return Object.fromEntries(values) as Attributes;
  }

  #inline(): string | null {
    const script = this.querySelector(':scope > script[type="application/json"]');
    return script?.textContent ?? null;
  }

  #paint(): void {
    const { theme } = this;
    const isDark = theme === 'auto' ? this.#isDark : theme === 'dark';
    this.#place.dataset['theme'] = isDark ? 'dark' : 'light';
    this.#picture.stage.peek()?.scope.setTheme(isDark ? darkTheme : lightTheme);
  }

  #tell(type: string, detail: object): void {
    this.dispatchEvent(new CustomEvent(type, { detail, bubbles: true }));
  }

  get seed(): number | null {
    const text = this.getAttribute('seed') ?? '';
    return /^\s*\d+\s*$/.test(text) ? Number(text) : null;
  }
  set seed(value: number | null) {
    reflect(this, 'seed', value);
  }

  get theme(): ThemeName {
    try {
      return themeOf(this.getAttribute('theme'));
    } catch {
      return 'auto';
    }
  }
  set theme(value: ThemeName) {
    reflect(this, 'theme', value);
  }
}

function reflect(element: HTMLElement, name: string, value: string | number | null | undefined): void {
  if (value === null || value === undefined) element.removeAttribute(name);
  else element.setAttribute(name, String(value));
}

for (const name of ['scenario', 'src', 'cell', 'charts', 'flow', 'lab'] as const)
  Object.defineProperty(CcscopeView.prototype, name, {
    get(this: CcscopeView) {
      return this.getAttribute(name);
    },
    set(this: CcscopeView, value: string | null | undefined) {
      reflect(this, name, value);
    },
    configurable: true,
    enumerable: true,
  });

const NOTHING = new ConfigError(
  'scenario',
  'the id of a scenario, the address of its JSON, or a script of type application/json inside the element',
  'nothing',
  'add, for example, scenario="ton-fig8", or src with the address of a recording',
);

if (typeof customElements !== 'undefined' && customElements.get('ccscope-view') === undefined)
  customElements.define('ccscope-view', CcscopeView);
