/**
 * Lets a controller limit a sender of a page: repeatedly sends the page the controller's rate. Stops when `end`
 * is called, when the page refuses or cannot be reached, or when the controller has ended.
 */
import { clearInterval, setInterval } from '../inject/natives.js';
import type { ActionResult } from '../inject/protocol.js';

/** The interval between messages to the page. */
const DRIVE_MS = 250;
const NO_LONGER: ActionResult = { ok: false, why: 'It is driven no longer.', fix: 'drive it again' };

export interface DriveHooks {
  /**
   * Sends the page the controller's current rate, to which the page must limit the sender. Resolves to the
   * page's answer, or to null if the controller has ended.
   */
  bound(): Promise<ActionResult | null>;
  /** Called once when the loop ends, unless `end` ended it. */
  ended(): void;
}

export class DriveLoop {
  #timer: ReturnType<typeof setInterval> | null = null;
  /** Settles when the page has answered the latest message; null while no message is on its way. */
  #saying: Promise<unknown> | null = null;
  #isEnded = false;

  constructor(private readonly hooks: DriveHooks) {}

  /** Starts the loop. Resolves to the result of the first limit. */
  async begin(): Promise<ActionResult> {
    const first = await this.#say();
    // The loop may have ended in the meantime.
    if (!this.#isEnded) this.#timer = setInterval(() => void this.#renew(), DRIVE_MS);
    return first;
  }

  /** Sends the next message, unless the page has not answered the last one yet. */
  async #renew(): Promise<void> {
    if (this.#saying === null) await this.#say();
  }

  async #say(): Promise<ActionResult> {
    const saying = this.hooks.bound().catch(failure);
    this.#saying = saying;
    const result = (await saying) ?? NO_LONGER;
    this.#saying = null;
    if (!result.ok) this.#endByItself();
    return result;
  }

  #endByItself(): void {
    if (this.#isEnded) return;
    this.#stop();
    this.hooks.ended();
  }

  #stop(): void {
    this.#isEnded = true;
    if (this.#timer !== null) clearInterval(this.#timer);
    this.#timer = null;
  }

  /** Ends the loop. Resolves when no message is on its way. Never rejects. */
  async end(): Promise<void> {
    this.#stop();
    await this.#saying;
  }
}

const failure = (error: unknown): ActionResult => ({
  ok: false,
  why: `The page does not answer: ${String(error)}`,
  fix: 'reload the page',
});
