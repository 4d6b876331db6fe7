/**
 * A half of a controller as a pipeline sees it, wherever it runs. A call has several: slot 0 is in
 * charge, the others are shadows, fed the same and never obeyed.
 */
import {
  loadCore,
  SCHEMA,
  type ArrivalInput,
  type ControllerName,
  type ControllerOptions,
  type Feedback,
  type InboundInput,
  type RateUpdate,
  type ReceiverHalf,
  type SenderHalf,
  type TableName,
  type TraceBatch,
} from '../core/index.js';
import { guestReceiver, guestSender } from './guest_client.js';

/** Which controller a slot runs, and as which flow of the trace. */
export interface SlotConfig {
  /** 0: in charge; others: shadows. */
  flow: number;
  /** What people call it, for messages. */
  name: string;
  controller?: ControllerName;
  preset?: string;
  parameters: Readonly<Record<string, number>>;
  /** A user's instead: a module of JavaScript or WebAssembly, that runs in a worker of its own. */
  url?: string;
}

/** What both halves have. */
export interface Slot {
  setParameter(name: string, value: number): void;
  setPreset(name: string): void;
  /** The rows since the last call. */
  drain(): TraceBatch[];
  destroy(): void;
}

/** Sees arrivals; tells its hooks of feedback, at once or later. */
export interface ReceiverSlot extends Slot {
  pushArrival(row: ArrivalInput): void;
  pushInbound(row: InboundInput): void;
}

/** Sees feedback, gives rates. */
export interface SenderSlot extends Slot {
  pushFeedback(feedback: Feedback, nowUs: number): void;
  pushReceiverReport(nowUs: number, packetsReceived: number, packetsLost: number): void;
  pushSent(nowUs: number, sentBytes: number, rttUs: number, browserEstimateBps: number): void;
  /** The rates at `nowUs`, or the last good ones of a half that failed; NaN before there are any. */
  run(nowUs: number): RateUpdate;
}

/** Whom a slot tells. */
export interface SlotHooks {
  onFeedback(feedback: Feedback): void;
  /** The half failed for good. A half that runs in here throws instead, out of the method that failed. */
  onFault(message: string): void;
}

const INPUTS: readonly TableName[] = ['arrival', 'inbound'];
/** Of shadows the inputs are not recorded: they are those of flow 0. */
const OUTPUTS: readonly TableName[] = SCHEMA.tables
  .map(({ name }) => name)
  .filter((name) => !INPUTS.includes(name));

class LocalReceiver implements ReceiverSlot {
  constructor(
    private readonly half: ReceiverHalf,
    private readonly hooks: SlotHooks,
  ) {}

  pushArrival(row: ArrivalInput): void {
    this.half.pushArrival(row);
    this.#tell();
  }

  pushInbound(row: InboundInput): void {
    this.half.pushInbound(row);
    this.#tell();
  }

  #tell(): void {
    const feedback = this.half.takeFeedback();
    if (feedback !== null) this.hooks.onFeedback(feedback);
  }

  setParameter(name: string, value: number): void {
    this.half.setParameter(name, value);
  }

  setPreset(name: string): void {
    this.half.setPreset(name);
  }

  drain(): TraceBatch[] {
    return this.half.drain();
  }

  destroy(): void {
    this.half.destroy();
  }
}

function optionsOf({ flow, controller, preset, parameters }: SlotConfig): ControllerOptions {
  return {
    flow,
    parameters,
    ...(controller === undefined ? {} : { controller }),
    ...(preset === undefined ? {} : { preset }),
    ...(flow === 0 ? {} : { record: OUTPUTS }),
  };
}

/** Each slot has an instance of the core for itself: one that traps leaves the others' memory alone. */
export async function receiverSlot(
  module: WebAssembly.Module,
  config: SlotConfig,
  hooks: SlotHooks,
): Promise<ReceiverSlot> {
  const { url } = config;
  if (url !== undefined) return guestReceiver(module, { ...config, url }, hooks);
  const core = await loadCore(module);
  return new LocalReceiver(core.createReceiver(optionsOf(config)), hooks);
}

/** Likewise. A sender half of the core is a slot as it is. */
export async function senderSlot(
  module: WebAssembly.Module,
  config: SlotConfig,
  hooks: SlotHooks,
): Promise<SenderSlot> {
  const { url } = config;
  if (url !== undefined) return guestSender(module, { ...config, url }, hooks);
  const core = await loadCore(module);
  return core.createSender(optionsOf(config)) satisfies SenderHalf;
}
