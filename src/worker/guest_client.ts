/**
 * A user's controller in a live call. Its code runs in a guest worker of its own, one per half; what the
 * core does for every controller stays here, so that this side always has an answer: the latest of the
 * guest. A guest that does not answer is ended, and its last good rate stays.
 */
import {
  loadCore,
  SCHEMA,
  type ArrivalInput,
  type Core,
  type Feedback,
  type InboundInput,
  type RateUpdate,
  type ReceiverHalf,
  type SenderHalf,
  type TraceBatch,
  type UserController,
  type UserRate,
} from '../core/index.js';
import { valuesOf } from '../core/component.js';
import type { HalfOptions } from '../core/user_controller.js';
import type { UsableAnswer } from '../core/user_answers.js';
import type { ReceiverSlot, SenderSlot, SlotConfig, SlotHooks } from './controller_slot.js';
import type { GuestMessage, GuestQuestion, GuestSetup } from './guest_protocol.js';

/** A slot that a user's controller runs in; its parameters are the three bitrates. */
export interface GuestConfig extends Pick<SlotConfig, 'flow' | 'name' | 'parameters'> {
  /** Where its module is: JavaScript whose default export is a UserController, or WebAssembly. */
  url: string;
  /** The guest worker's script; default: the file beside this one. */
  workerUrl?: string | URL;
  /** How long a guest may take for an answer; default 1 s. */
  answerWithinMs?: number;
  /** Memory that a WebAssembly controller may have; default 64 MiB. JavaScript's buffers and long arrays, with those not collected yet, may have eight times that. */
  memoryLimitBytes?: number;
}

const START_WITHIN_MS = 5000;
const ANSWER_WITHIN_MS = 1000;
const WATCH_MS = 100;
const MEMORY_LIMIT_BYTES = 64 * 2 ** 20;

/** A guest worker from here: asks, and ends what does not answer. */
class Guest {
  readonly #port: MessagePort;
  /** For each question without an answer, oldest first, how often the watch has looked since. */
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

  /** Rejects with an Error if the module cannot be loaded. A half that cannot be made is a fault. */
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
   * Looks are counted instead of time: while this worker is busy itself, answers wait in its queue, and
   * nobody looks either.
   */
  #look(): void {
    this.#looks = this.#looks.map((looks) => looks + 1);
    const { answerWithinMs = ANSWER_WITHIN_MS } = this.config;
    if ((this.#looks[0] ?? 0) * WATCH_MS <= answerWithinMs) return;
    const within = `${answerWithinMs / 1000} s`;
    this.#fail(
      `it gave no answer for ${within} (a function that never returns, or memory without end) and was ended`,
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

function halfOptions({ name, flow, parameters }: GuestConfig): HalfOptions {
  const values = valuesOf(name, SCHEMA.components.user_controller, { parameters, path: 'parameters' });
  const [minBitrateBps = NaN, maxBitrateBps = NaN, startBitrateBps = NaN] = values;
  return { minBitrateBps, maxBitrateBps, startBitrateBps, flow, seed: 1 };
}

const noReceiver = (): never => {
  throw new Error('this is a sender half');
};
const noSender = (): never => {
  throw new Error('this is a receiver half');
};

/** Columns of the `feedback` table, as a message fills them. */
function feedbackRow(flow: number, f: Feedback): TraceBatch {
  const row: Readonly<Record<string, number>> = {
    flow,
    time_us: f.timeUs,
    received_rate_bps: f.receivedRateBps,
    packets_received: f.packetsReceived,
    packets_lost: f.packetsLost,
    echo_send_time_us: f.echoSendTimeUs,
    echo_delay_us: f.echoDelayUs,
  };
  const columns = SCHEMA.tables.find(({ name }) => name === 'feedback')?.columns ?? [];
  return {
    table: 'feedback',
    rows: 1,
    columns: columns.map(({ name }) => Float64Array.of(row[name] ?? NaN)),
  };
}

/** The receiver half: arrivals go to the guest; its values go out with the fields of the latest arrival. */
class GuestReceiver implements ReceiverSlot {
  readonly #half: ReceiverHalf;
  readonly #config: GuestConfig;
  readonly #hooks: SlotHooks;
  #guest: Guest | null = null;
  #latest: { feedback: Feedback; atMs: number } | null = null;
  #rows: TraceBatch[] = [];

  private constructor(core: Core, config: GuestConfig, hooks: SlotHooks) {
    this.#config = config;
    this.#hooks = hooks;
    this.#half = core.createReceiver({
      controller: this.#relay(config.name),
      flow: config.flow,
      parameters: config.parameters,
      // Of shadows the inputs are not recorded: they are those of flow 0.
      record: config.flow === 0 ? ['arrival', 'inbound'] : [],
    });
  }

  /** Rejects with an Error that says why there is no such controller. */
  static async open(core: Core, config: GuestConfig, hooks: SlotHooks): Promise<GuestReceiver> {
    const receiver = new GuestReceiver(core, config, hooks);
    receiver.#guest = await Guest.open('receiver', config, {
      answer: ({ values }) => values !== undefined && receiver.#send(values),
      fault: hooks.onFault,
    });
    return receiver;
  }

  /** A controller whose every arrival makes a message, for its fields. */
  #relay(name: string): UserController {
    return {
      name,
      createReceiver: () => ({
        onArrival: (arrival) => {
          this.#guest?.ask({ kind: 'arrival', arrival });
          return [];
        },
        onInbound: (counters) => {
          this.#guest?.ask({ kind: 'inbound', counters });
          return [];
        },
      }),
      createSender: noSender,
    };
  }

  #send(values: readonly number[]): void {
    if (this.#latest === null) return;
    const { feedback, atMs } = this.#latest;
    const sinceUs = Math.round((performance.now() - atMs) * 1000);
    const timeUs = feedback.timeUs + sinceUs;
    const sent = { ...feedback, timeUs, echoDelayUs: feedback.echoDelayUs + sinceUs, values };
    this.#rows.push(feedbackRow(this.#config.flow, sent));
    this.#hooks.onFeedback(sent);
  }

  pushArrival(row: ArrivalInput): void {
    this.#half.pushArrival(row);
    this.#keep();
  }

  pushInbound(row: InboundInput): void {
    this.#half.pushInbound(row);
    this.#keep();
  }

  #keep(): void {
    const feedback = this.#half.takeFeedback();
    if (feedback !== null) this.#latest = { feedback, atMs: performance.now() };
  }

  setParameter(name: string, value: number): void {
    this.#half.setParameter(name, value);
  }

  setPreset(name: string): void {
    this.#half.setPreset(name);
  }

  drain(): TraceBatch[] {
    return [...this.#half.drain(), ...this.#rows.splice(0)];
  }

  destroy(): void {
    this.#guest?.close();
    this.#half.destroy();
  }
}

/** The sender half: messages go to the guest; its latest rate is the one that counts. */
class GuestSender implements SenderSlot {
  readonly #half: SenderHalf;
  #guest: Guest | null = null;
  #rate: UserRate;

  private constructor(core: Core, config: GuestConfig) {
    this.#rate = { targetBps: halfOptions(config).startBitrateBps };
    const { flow, parameters, name } = config;
    this.#half = core.createSender({ controller: this.#relay(name), flow, parameters, record: ['rate'] });
  }

  /** Rejects with an Error that says why there is no such controller. */
  static async open(
    core: Core,
    config: GuestConfig,
    hooks: Pick<SlotHooks, 'onFault'>,
  ): Promise<GuestSender> {
    const sender = new GuestSender(core, config);
    sender.#guest = await Guest.open('sender', config, {
      answer: ({ rate }) => {
        if (rate !== undefined) sender.#rate = rate;
      },
      fault: hooks.onFault,
    });
    return sender;
  }

  #relay(name: string): UserController {
    return {
      name,
      createReceiver: noReceiver,
      createSender: () => ({
        onFeedback: (feedback, nowUs) => this.#guest?.ask({ kind: 'feedback', feedback, nowUs }),
        onRtt: (rttUs) => this.#guest?.ask({ kind: 'rtt', rttUs }),
        rate: (nowUs) => {
          this.#guest?.ask({ kind: 'rate', nowUs });
          return this.#rate;
        },
      }),
    };
  }

  pushFeedback(feedback: Feedback, nowUs: number): void {
    this.#half.pushFeedback(feedback, nowUs);
  }

  pushReceiverReport(nowUs: number, packetsReceived: number, packetsLost: number): void {
    this.#half.pushReceiverReport(nowUs, packetsReceived, packetsLost);
  }

  pushSent(nowUs: number, sentBytes: number, rttUs: number, browserEstimateBps: number): void {
    this.#half.pushSent(nowUs, sentBytes, rttUs, browserEstimateBps);
  }

  /** The rates as the guest last asked for them; its next ones come with the next call. */
  run(nowUs: number): RateUpdate {
    return this.#half.run(nowUs);
  }

  setParameter(name: string, value: number): void {
    this.#half.setParameter(name, value);
  }

  setPreset(name: string): void {
    this.#half.setPreset(name);
  }

  drain(): TraceBatch[] {
    return this.#half.drain();
  }

  destroy(): void {
    this.#guest?.close();
    this.#half.destroy();
  }
}

/** The receiver half in a guest worker. Rejects with an Error that says why there is no such controller. */
export async function guestReceiver(
  module: WebAssembly.Module,
  config: GuestConfig,
  hooks: SlotHooks,
): Promise<ReceiverSlot> {
  return GuestReceiver.open(await loadCore(module), config, hooks);
}

/** Likewise the sender half. It has no feedback to tell of. */
export async function guestSender(
  module: WebAssembly.Module,
  config: GuestConfig,
  hooks: Pick<SlotHooks, 'onFault'>,
): Promise<SenderSlot> {
  return GuestSender.open(await loadCore(module), config, hooks);
}
