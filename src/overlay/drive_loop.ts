/** Tells a page what a controller asks for, again and again, until somebody ends it or the page refuses. */
import { clearInterval, setInterval } from '../inject/natives.js';
import type { ActionResult } from '../inject/protocol.js';

/** How often the page is told. */
const DRIVE_MS = 250;
const NO_LONGER: ActionResult = { ok: false, why: 'It is driven no longer.', fix: 'drive it again' };

export interface DriveHooks {
  /** Has the page bound the sender at what the controller asks for now; null when there is nothing more to ask for. */
  bound(): Promise<ActionResult | null>;
  /** Called once, when it ends by itself. */
  ended(): void;
}

export class DriveLoop {
  #timer: ReturnType<typeof setInterval> | null = null;
  /** What is on its way to the page. */
  #saying: Promise<unknown> | null = null;
  #isEnded = false;

  constructor(private readonly hooks: DriveHooks) {}

  /** Resolves with what came of the first bound. */
  async begin(): Promise<ActionResult> {
    const first = await this.#say();
    // It may have been ended meanwhile.
    if (!this.#isEnded) this.#timer = setInterval(() => void this.#renew(), DRIVE_MS);
    return first;
  }

  /** A page that is slow is not told more before it has answered. */
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

  /** Resolves when nothing is on its way any more. Never rejects. */
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
