/**
 * The part of the extension that runs in the page's own JavaScript world. It observes calls, and sends its
 * observations to the bridge (bridge.ts) in the same document. While no panel is open, it reports nothing. The page
 * can read everything in this script, so the script contains no secrets.
 */
import { attempt, epochMs, listen, setTimeout, stringify } from '../inject/natives.js';
import { observe, type Observer } from '../inject/page.js';
import { BatchTexts } from './batch_texts.js';
import {
  ARE_YOU_HERE,
  EXTENSION_KEY,
  GOODBYE,
  PORT_OFFERED,
  PORT_WANTED,
  STILL_HERE,
  type AskedPage,
} from './channel.js';

// Keeps the original functions, since the page may replace them later.
const parse = JSON.parse.bind(JSON);
const Channel = MessageChannel;
const PortEvent = MessageEvent;
const { postMessage, start } = MessagePort.prototype;
const { addEventListener, dispatchEvent } = EventTarget.prototype;

/**
 * After this many turns of TURN_MS without an answer, the bridge is considered gone: its extension was reloaded or
 * removed.
 */
const TURNS = 4;
/**
 * The length of a turn. A busy page delays timers and messages alike. A single long timer could therefore fire
 * although an answer has already arrived. Several short timers give the answer a chance to be delivered.
 */
const TURN_MS = 250;
/** The least time between two checks whether the bridge still exists. */
const CHECK_MS = 5000;

/** The page's end of the channel to the bridge. */
class PageEnd {
  /** Null while there is no bridge. */
  #port: MessagePort | null = null;
  #document: Document | null = null;
  /** Whether the script is waiting for the bridge's answer to ARE_YOU_HERE. */
  #isAsking = false;
  #hasAnswered = false;
  /** Whether a new port was requested. It is offered if the bridge with the current port does not answer. */
  #isWanted = false;
  /** Whether the observer is paused because the bridge did not answer. It resumes if the answer comes late. */
  #isUnheard = false;
  #checkedMs = epochMs();
  readonly #observer: Observer;
  readonly #onWanted = (): void => attempt(() => this.#wanted());

  constructor() {
    // The origin is 0, so times count from the Unix epoch. Each panel converts them to its own origin.
    const late = { adoptsLate: true, timesShownFrames: true } as const;
    const config = { originEpochMs: 0, relay: null, frameTiming: 'transform', ...late } as const;
    const texts = new BatchTexts();
    this.#observer = observe(config, (batch) => {
      this.#check();
      for (const text of texts.of(batch)) this.#tell(text);
    });
    this.#rest();
    this.meet();
  }

  /**
   * Connects to the bridge of the window's document. If there is no bridge yet, the bridge will request a
   * port when it starts. Also called when a document replaces the initial empty document (about:blank) of a
   * window. The window then keeps its JavaScript objects, but loses its event listeners.
   */
  meet(): void {
    // Adding the same listener again has no effect. It has to be added again after `document.open()`, which removes
    // it.
    addEventListener.call(document, PORT_WANTED, this.#onWanted);
    if (document === this.#document) {
      this.#wanted();
      return;
    }
    this.#document = document;
    this.#offer();
  }

  /**
   * Called when a port is requested. The request comes from a bridge, or from a script of the page, which can
   * send the same event. While the bridge with the current port still answers, no new port is offered: with a
   * new port, that bridge would receive nothing more.
   */
  #wanted(): void {
    const port = this.#port;
    if (port === null) {
      this.#offer();
      return;
    }
    this.#isWanted = true;
    this.#ask(port);
  }

  /**
   * Asks from time to time whether the bridge still exists. A browser that removes the extension may end the bridge
   * without a word, and then nobody else would take back what was done to calls.
   */
  #check(): void {
    if (this.#port === null || epochMs() - this.#checkedMs < CHECK_MS) return;
    this.#checkedMs = epochMs();
    this.#ask(this.#port);
  }

  #ask(port: MessagePort): void {
    if (this.#isAsking) return;
    [this.#isAsking, this.#hasAnswered] = [true, false];
    postMessage.call(port, ARE_YOU_HERE);
    this.#await(port, TURNS);
  }

  #await(port: MessagePort, turns: number): void {
    setTimeout(() => {
      if (turns > 1 && !this.#hasAnswered && port === this.#port) {
        this.#await(port, turns - 1);
        return;
      }
      const isWanted = this.#isWanted;
      [this.#isAsking, this.#isWanted] = [false, false];
      if (this.#hasAnswered || port !== this.#port) return;
      this.#rest();
      // Without a request, the port stays, since a bridge that was only slow has no other.
      this.#isUnheard = !isWanted;
      if (!isWanted) return;
      this.#port = null;
      this.#offer();
    }, TURN_MS);
  }

  /** Pauses the observer until a request resumes it. This also undoes the observer's changes to calls. */
  #rest(): void {
    void this.#observer.pause();
  }

  /** Offers a new port to the bridge. If the bridge accepts, the new port replaces the current port. */
  #offer(): void {
    const { port1, port2 } = new Channel();
    listen(port1, 'message', (event) => this.#take(port1, (event as MessageEvent).data));
    start.call(port1);
    const offer = new PortEvent(PORT_OFFERED, { ports: [port2], cancelable: true });
    const isTaken = !dispatchEvent.call(document, offer);
    if (isTaken) this.#port = port1;
  }

  #take(port: MessagePort, text: unknown): void {
    if (port !== this.#port) return;
    if (text === GOODBYE) this.#port = null;
    else if (text === STILL_HERE) this.#heard();
    else void this.#hear(text);
  }

  #heard(): void {
    this.#hasAnswered = true;
    if (!this.#isUnheard) return;
    this.#isUnheard = false;
    this.#observer.resume();
  }

  #tell(text: string): void {
    if (this.#port !== null) postMessage.call(this.#port, text);
  }

  async #hear(text: unknown): Promise<void> {
    if (typeof text !== 'string') return;
    const { id, request } = parse(text) as AskedPage;
    // The bridge decides now whether the observer works.
    if (request.type === 'resume' || request.type === 'pause') this.#isUnheard = false;
    try {
      // A panel that has just been opened needs all reports, even if other panels already have them.
      if (request.type === 'resume') this.#observer.resume();
      const answer = await this.#observer.ask(request);
      this.#tell(stringify({ id, answer: answer ?? null }));
    } catch (error) {
      this.#tell(stringify({ id, error: String(error) }));
    }
  }
}

attempt(() => {
  const key = Symbol.for(EXTENSION_KEY);
  const scope = globalThis as unknown as Record<symbol, (() => void) | undefined>;
  if (!('RTCPeerConnection' in globalThis)) return;
  if (key in scope) {
    scope[key]?.();
    return;
  }
  const end = new PageEnd();
  Object.defineProperty(scope, key, { value: () => end.meet() });
});
