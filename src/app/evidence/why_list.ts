/**
 * For each controller that watched the call, lists why it would have changed its target rate. Choosing a reason moves
 * the charts to the time of the change.
 */
import { formatTime } from '../../charts/index.js';
import type { EvidenceReasons } from '../../calls/evidence_page.js';

const timeText = (us: number): string => formatTime(Math.round(us / 1e5) / 10);

/** A list is one tab stop; the arrow keys move within it. */
function moveFocus(event: KeyboardEvent, buttons: readonly HTMLButtonElement[]): void {
  const at = buttons.indexOf(event.target as HTMLButtonElement);
  const next = { ArrowDown: at + 1, ArrowUp: at - 1, Home: 0, End: buttons.length - 1 }[event.key];
  if (next === undefined || at < 0) return;
  event.preventDefault();
  buttons[Math.max(0, Math.min(buttons.length - 1, next))]?.focus();
}

export class WhyList {
  readonly #buttons: { button: HTMLButtonElement; timeUs: number }[][] = [];

  /** Fills `place` with the lists. `onChoose` is called with the time of the reason that the user chooses. */
  constructor(place: HTMLElement, reasons: readonly EvidenceReasons[], onChoose: (timeUs: number) => void) {
    place.replaceChildren();
    place.hidden = reasons.length === 0;
    if (reasons.length === 0) return;
    place.appendChild(document.createElement('h2')).textContent =
      'What the watching controllers would have done';
    const about = place.appendChild(document.createElement('p'));
    about.className = 'hint';
    about.textContent =
      'These controllers watched the call without controlling it: what they would have asked for, and why. What happened to the call itself is said under “Why it got worse”. Press a line to move the charts to its moment; the arrow keys move between lines.';
    for (const { label, lines } of reasons) {
      const list = document.createElement('ol');
      list.className = 'why-lines';
      list.setAttribute('aria-label', `Changes of the target: ${label}`);
      place.append(Object.assign(document.createElement('h3'), { textContent: label }), list);
      this.#add(list, lines, onChoose);
    }
  }

  #add(list: HTMLElement, lines: EvidenceReasons['lines'], onChoose: (timeUs: number) => void): void {
    const made = lines.map(({ timeUs, down, text }, index) => {
      const button = document.createElement('button');
      button.type = 'button';
      button.tabIndex = index === 0 ? 0 : -1;
      button.classList.toggle('down', down);
      button.append(
        Object.assign(document.createElement('time'), { textContent: timeText(timeUs) }),
        Object.assign(document.createElement('span'), { textContent: text }),
      );
      button.addEventListener('click', () => onChoose(timeUs));
      list.appendChild(document.createElement('li')).append(button);
      return { button, timeUs };
    });
    const buttons = made.map(({ button }) => button);
    list.addEventListener('keydown', (event) => moveFocus(event, buttons));
    list.addEventListener('focusin', ({ target }) => {
      for (const button of buttons) button.tabIndex = button === target ? 0 : -1;
    });
    this.#buttons.push(made);
  }

  /**
   * Marks the line that applies at `timeUs` in each list: the latest line at or before that time. If `timeUs`
   * is null, marks no line. Returns the text of the marked line in the first list; empty if none is marked.
   */
  show(timeUs: number | null): string {
    const texts = this.#buttons.map((made) => {
      const holds = timeUs === null ? undefined : made.findLast((one) => one.timeUs <= timeUs)?.button;
      for (const { button } of made) {
        if (button === holds) button.setAttribute('aria-current', 'true');
        else button.removeAttribute('aria-current');
      }
      return holds?.lastElementChild?.textContent ?? '';
    });
    return texts[0] ?? '';
  }
}
