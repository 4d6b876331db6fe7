import type { Feedback, TraceBatch } from '../../core/index.js';
import type { Slot, SlotConfig, SlotHooks } from '../slot.js';
import { attempt, message } from './errors.js';
import type { Side } from './protocol.js';
import type { Reporter } from './reporter.js';

/** Creates a slot for one side of a call. */
export type MakeSlot<S extends Slot> = (config: SlotConfig, hooks: SlotHooks) => Promise<S>;

interface Shadow<S> {
  config: SlotConfig;
  slot: S;
}

/** The part of a pipeline that its slots use. */
export interface SlotsContext {
  side: Side;
  reporter: Reporter;
  nowUs(): number;
  onFeedback(flow: number, feedback: Feedback): void;
}

const sameController = (a: SlotConfig, b: SlotConfig): boolean =>
  a.controller === b.controller && a.url === b.url;
const same = (a: SlotConfig, b: SlotConfig): boolean => JSON.stringify(a) === JSON.stringify(b);

/**
 * The controllers of one side of a call: one in charge, and shadows, whose results are only recorded. An error
 * of the controller in charge is thrown to the pipeline. A shadow that throws is reported and removed, and
 * nothing else is affected.
 */
export class Slots<S extends Slot> {
  readonly #shadows = new Map<number, Shadow<S>>();
  #changing: Promise<void> = Promise.resolve();
  #ended = false;

  private constructor(
    /** The slot of the controller in charge. */
    readonly first: S,
    private readonly make: MakeSlot<S>,
    private readonly context: SlotsContext,
  ) {}

  /**
   * Creates the slot of the controller in charge, and throws its errors. `setShadows` creates the shadows
   * later.
   */
  static async open<S extends Slot>(
    config: SlotConfig,
    make: MakeSlot<S>,
    context: SlotsContext,
  ): Promise<Slots<S>> {
    try {
      return new Slots(await make(config, hooksOf(config, context)), make, context);
    } catch (error) {
      // Only a user's controller can fail to load. The user then needs a report with the name of the
      // controller.
      if (config.url !== undefined) report(config, context, message(error));
      throw error;
    }
  }

  /** Calls a function on every shadow. */
  shadows(work: (slot: S) => void): void {
    for (const shadow of this.#shadows.values()) this.#guard(shadow, () => work(shadow.slot));
  }

  /** Calls a function on the slot of a flow, if there is one. */
  at(flow: number, work: (slot: S) => void): void {
    const shadow = this.#shadows.get(flow);
    if (flow === 0) work(this.first);
    else if (shadow !== undefined) this.#guard(shadow, () => work(shadow.slot));
  }

  /**
   * Replaces the shadows. A shadow whose flow and controller are also in the new list continues, with the new
   * parameters. Shadows that cannot be created are reported.
   */
  setShadows(configs: readonly SlotConfig[]): Promise<void> {
    this.#changing = this.#changing.then(() => this.#change(configs));
    return this.#changing;
  }

  async #change(configs: readonly SlotConfig[]): Promise<void> {
    const gone = [...this.#shadows.values()].filter(
      ({ config }) => !configs.some((one) => one.flow === config.flow && sameController(one, config)),
    );
    for (const shadow of gone) this.#remove(shadow);
    for (const config of configs) {
      const shadow = this.#shadows.get(config.flow);
      if (shadow === undefined) await this.#add(config);
      else if (!same(shadow.config, config)) this.#reconfigure(shadow, config);
    }
  }

  async #add(config: SlotConfig): Promise<void> {
    const failed = (): void => {
      const shadow = this.#shadows.get(config.flow);
      if (shadow !== undefined) this.#remove(shadow);
    };
    try {
      const slot = await this.make(config, hooksOf(config, this.context, failed));
      if (this.#ended) slot.destroy();
      else this.#shadows.set(config.flow, { config, slot });
    } catch (error) {
      report(config, this.context, message(error));
    }
  }

  #reconfigure(shadow: Shadow<S>, config: SlotConfig): void {
    shadow.config = config;
    this.#guard(shadow, () => {
      if (config.preset !== undefined) shadow.slot.setPreset(config.preset);
      for (const [name, value] of Object.entries(config.parameters)) shadow.slot.setParameter(name, value);
    });
  }

  #guard(shadow: Shadow<S>, work: () => void): void {
    try {
      work();
    } catch (error) {
      report(shadow.config, this.context, message(error));
      this.#remove(shadow);
    }
  }

  /** Sends the rows that a shadow can still deliver, and removes the shadow. */
  #remove({ config, slot }: Shadow<S>): void {
    this.#shadows.delete(config.flow);
    // Errors are ignored: the shadow is removed in any case. A failure of the shadow was reported before.
    attempt(() => this.context.reporter.batches(slot.drain()));
    attempt(() => slot.destroy());
  }

  /** The rows of the controller in charge, then those of the shadows. */
  drain(): TraceBatch[] {
    const batches = this.first.drain();
    this.shadows((slot) => batches.push(...slot.drain()));
    return batches;
  }

  destroy(): void {
    this.#ended = true;
    for (const shadow of [...this.#shadows.values()]) this.#remove(shadow);
    this.first.destroy();
  }
}

function report({ flow, name }: SlotConfig, context: SlotsContext, what: string): void {
  const fault = { flow, controller: name, half: context.side, message: what, timeUs: context.nowUs() };
  context.reporter.emit({ kind: 'controller-fault', fault });
}

function hooksOf(config: SlotConfig, context: SlotsContext, failed?: () => void): SlotHooks {
  return {
    onFeedback: (feedback) => context.onFeedback(config.flow, feedback),
    onFault: (what) => {
      report(config, context, what);
      failed?.();
    },
  };
}
