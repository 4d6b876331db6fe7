/**
 * Runs one half of a user's controller in a guest worker, a separate worker for untrusted code. Arrivals,
 * feedback and requests for a rate are sent to the half as questions, through a port. If a question is not
 * answered in time, the worker is terminated.
 */
import { COMPONENT_SPECS } from '../../core/index.js';
import { valuesOf } from '../../core/component.js';
import type { HalfOptions } from '../../core/user_controller.js';
import type { UsableAnswer } from '../../core/user_answers.js';
import type { SlotConfig } from '../slot.js';
import { START_WITHIN_MS, type GuestMessage, type GuestQuestion, type GuestSetup } from './guest_protocol.js';

/** A slot that runs a user's controller. Its parameters are the minimum, maximum and start bitrates. */
export interface GuestConfig extends Pick<SlotConfig, 'flow' | 'name' | 'parameters'> {
  /** The URL of the controller's module: JavaScript whose default export is a UserController, or WebAssembly. */
  url: string;
  /** The guest worker's script; default: the file beside this one. */
  workerUrl?: string | URL;
  /** How long the guest worker may take to answer; default 1 s. */
  answerWithinMs?: number;
  /**
   * The memory limit of a WebAssembly controller; default 64 MiB. For a JavaScript controller, eight times this
   * limit applies to its buffers and long arrays, including those not yet garbage-collected.
   */
  memoryLimitBytes?: number;
}

const ANSWER_WITHIN_MS = 1000;
const WATCH_MS = 100;
const MEMORY_LIMIT_BYTES = 64 * 2 ** 20;

export class Guest {
  readonly #port: MessagePort;
  /** The unanswered questions, oldest first. Each entry is the number of checks since that question was sent. */
  #looks: number[] = [];
  #watch: ReturnType<typeof setInterval> | undefined;
  #ended = false;

  private constructor(
    private readonly worker: Worker,
    port: MessagePort,
    private readonly config: GuestConfig,
    private readonly on: { answer(answer: UsableAnswer): void; fault(message: string): void },
  ) {
    this.#port = port;
    worker.addEventListener('error', (event) => {
      event.preventDefault();
      this.#fail(event.message || 'its worker failed');
    });
  }

  /**
   * Loads the module and creates the requested half. Rejects with an Error if the module cannot be loaded. If
   * the module is loaded but the half cannot be created, resolves, and calls `on.fault`.
   */
  static async open(
    half: GuestSetup['half'],
    config: GuestConfig,
    on: { answer(answer: UsableAnswer): void; fault(message: string): void },
  ): Promise<Guest> {
    const { url, name, workerUrl, memoryLimitBytes = MEMORY_LIMIT_BYTES } = config;
    const worker = workerUrl === undefined ? defaultWorker() : new Worker(workerUrl, { type: 'module' });
    const { port1, port2 } = new MessageChannel();
    const guest = new Guest(worker, port1, config, on);
    const options = halfOptions(config);
    const setup: GuestSetup = { url, name, half, options, memoryLimitBytes, port: port2 };
    try {
      await guest.#begin(setup);
    } catch (error) {
      guest.close();
      throw error;
    }
    return guest;
  }

  #begin(setup: GuestSetup): Promise<void> {
    return new Promise((resolve, reject) => {
      const refuse = (message: string): void => reject(new Error(message));
      const timer = setTimeout(
        () => refuse(`${setup.name}: its module did not load within ${START_WITHIN_MS / 1000} s`),
        START_WITHIN_MS,
      );
      this.worker.addEventListener('error', (event) =>
        refuse(`${setup.name}: ${event.message || 'the guest worker could not be loaded'}`),
      );
      this.#port.onmessage = ({ data }: MessageEvent<GuestMessage>) => {
        clearTimeout(timer);
        if (data.kind === 'refused') {
          refuse(data.message);
          return;
        }
        this.#port.onmessage = (event: MessageEvent<GuestMessage>) => this.#hear(event.data);
        this.#watch = setInterval(() => this.#look(), WATCH_MS);
        resolve();
        if (data.kind === 'fault') this.#fail(data.message);
      };
      this.worker.postMessage(setup, [setup.port]);
    });
  }

  ask(question: GuestQuestion): void {
    if (this.#ended) return;
    this.#looks.push(0);
    this.#port.postMessage(question);
  }

  #hear(message: GuestMessage): void {
    if (this.#ended) return;
    if (message.kind === 'fault') this.#fail(message.message);
    if (message.kind !== 'answer') return;
    this.#looks.shift();
    this.on.answer(message.answer);
  }

  /**
   * Checks whether the oldest question has waited too long. Waiting is counted in checks, not in
   * milliseconds. While this side (the media worker) is busy, it makes no checks, so answers in its queue do
   * not count as late.
   */
  #look(): void {
    this.#looks = this.#looks.map((looks) => looks + 1);
    const { answerWithinMs = ANSWER_WITHIN_MS } = this.config;
    if ((this.#looks[0] ?? 0) * WATCH_MS <= answerWithinMs) return;
    const within = `${answerWithinMs / 1000} s`;
    this.#fail(
      `it gave no answer for ${within} (a function that does not return, or endless use of memory) and was stopped`,
    );
  }

  #fail(message: string): void {
    if (this.#ended) return;
    this.close();
    this.on.fault(message);
  }

  close(): void {
    this.#ended = true;
    clearInterval(this.#watch);
    this.#port.close();
    this.worker.terminate();
  }
}

function defaultWorker(): Worker {
  return new Worker(new URL('./guest_worker.js', import.meta.url), { type: 'module' });
}

/** Returns the options for creating the half of this slot. Throws CoreError for an unknown parameter. */
export function halfOptions({ name, flow, parameters }: GuestConfig): HalfOptions {
  const values = valuesOf(name, COMPONENT_SPECS.user_controller, { parameters, path: 'parameters' });
  const [minBitrateBps = NaN, maxBitrateBps = NaN, startBitrateBps = NaN] = values;
  return { minBitrateBps, maxBitrateBps, startBitrateBps, flow, seed: 1 };
}
