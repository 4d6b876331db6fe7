/**
 * Creates the halves of a controller for a slot: in this worker or, for a user's controller, in a separate
 * worker.
 */
import {
  loadCore,
  TABLE_SPECS,
  type ArrivalInput,
  type ControllerOptions,
  type InboundInput,
  type ReceiverHalf,
  type SenderHalf,
  type TableName,
  type TraceBatch,
} from '../../core/index.js';
import { guestReceiver, guestSender } from '../guest/guest_client.js';
import type { ReceiverSlot, SenderSlot, SlotConfig, SlotHooks } from '../slot.js';

const INPUTS: readonly TableName[] = ['arrival', 'inbound'];
/**
 * The tables that are recorded for a shadow. The inputs of a shadow are not recorded, because they are the same as
 * those of flow 0.
 */
const OUTPUTS: readonly TableName[] = TABLE_SPECS.map(({ name }) => name).filter(
  (name) => !INPUTS.includes(name),
);

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

/**
 * Creates the receiver half of a slot. Each slot has its own instance of the core: a trap in one
 * does not affect the memory of the others.
 */
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

/**
 * Creates the sender half of a slot, with its own instance of the core. SenderHalf already has the methods of a
 * SenderSlot, so it needs no wrapper.
 */
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
