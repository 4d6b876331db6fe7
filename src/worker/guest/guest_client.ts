/**
 * A user's controller in a live call. Each half, receiver or sender, runs in its own guest worker, a separate
 * worker for untrusted code. The work that the core does for every controller runs here, in the media worker.
 * This side never waits for the guest: it uses the guest's latest answer. A guest that does not answer is
 * terminated. Its last good rate then remains the target rate.
 */
import {
  loadCore,
  TABLE_SPECS,
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
} from '../../core/index.js';
import type { ReceiverSlot, SenderSlot, SlotHooks } from '../slot.js';
import { Guest, halfOptions, type GuestConfig } from './guest.js';

const noReceiver = (): never => {
  throw new Error('this is the sender half of a controller, not the receiver half');
};
const noSender = (): never => {
  throw new Error('this is the receiver half of a controller, not the sender half');
};

/** A row of the `feedback` table. Its columns are in the order of the table. */
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
  const columns = TABLE_SPECS.find(({ name }) => name === 'feedback')?.columns ?? [];
  return {
    table: 'feedback',
    rows: 1,
    columns: columns.map(({ name }) => Float64Array.of(row[name] ?? NaN)),
  };
}

/**
 * The receiver half: passes arrivals to the guest. The guest returns values, which are sent in a feedback
 * message. The core computes the other fields of the message for each input. The guest answers later. Therefore
 * the message's time and echo delay are increased by the time that has passed since the latest input.
 */
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
      // Inputs of shadows are not recorded: they are the same as those of flow 0.
      record: config.flow === 0 ? ['arrival', 'inbound'] : [],
    });
  }

  /** Rejects with an Error that says why the controller cannot be used. */
  static async open(core: Core, config: GuestConfig, hooks: SlotHooks): Promise<GuestReceiver> {
    const receiver = new GuestReceiver(core, config, hooks);
    receiver.#guest = await Guest.open('receiver', config, {
      answer: ({ values }) => values !== undefined && receiver.#send(values),
      fault: hooks.onFault,
    });
    return receiver;
  }

  /**
   * A controller for the core that passes every input to the guest. It answers every input with an empty list
   * of values, because only the fields that the core adds are used.
   */
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

/** The sender half: passes feedback messages to the guest, and uses the latest rate that the guest returned. */
class GuestSender implements SenderSlot {
  readonly #half: SenderHalf;
  #guest: Guest | null = null;
  #rate: UserRate;

  private constructor(core: Core, config: GuestConfig) {
    this.#rate = { targetBps: halfOptions(config).startBitrateBps };
    const { flow, parameters, name } = config;
    this.#half = core.createSender({ controller: this.#relay(name), flow, parameters, record: ['rate'] });
  }

  /** Rejects with an Error that says why the controller cannot be used. */
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

  /**
   * Returns the rates from the guest's latest answer. Also asks the guest for new rates, which a later call
   * returns.
   */
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

/**
 * Creates a receiver half in a guest worker. Rejects with an Error that says why the controller cannot be used.
 */
export async function guestReceiver(
  module: WebAssembly.Module,
  config: GuestConfig,
  hooks: SlotHooks,
): Promise<ReceiverSlot> {
  return GuestReceiver.open(await loadCore(module), config, hooks);
}

/**
 * Creates a sender half in a guest worker. A sender half produces no feedback, so `hooks` contains only
 * `onFault`.
 */
export async function guestSender(
  module: WebAssembly.Module,
  config: GuestConfig,
  hooks: Pick<SlotHooks, 'onFault'>,
): Promise<SenderSlot> {
  return GuestSender.open(await loadCore(module), config, hooks);
}
