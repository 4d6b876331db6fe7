import type { Feedback, TraceBatch } from '../../core/index.js';
import type { Slot, SlotConfig, SlotHooks } from '../slot.js';
import type { Side } from './protocol.js';
import type { Reporter } from './reporter.js';

/** Makes one side's slot. */
export type MakeSlot<S extends Slot> = (config: SlotConfig, hooks: SlotHooks) => Promise<S>;

interface Shadow<S> {
  config: SlotConfig;
  slot: S;
}

/** What one side's slots need of their pipeline. */
export interface SlotsContext {
  side: Side;
  reporter: Reporter;
  nowUs(): number;
  onFeedback(flow: number, feedback: Feedback): void;
}

function message(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

const sameController = (a: SlotConfig, b: SlotConfig): boolean =>
  a.controller === b.controller && a.url === b.url;
const same = (a: SlotConfig, b: SlotConfig): boolean => JSON.stringify(a) === JSON.stringify(b);

/**
 * The controllers of one side of a call. What the one in charge throws is its pipeline's; a shadow
 * that throws is reported and taken out, and nothing else notices.
 */
export class Slots<S extends Slot> {
  readonly #shadows = new Map<number, Shadow<S>>();
  #changing: Promise<void> = Promise.resolve();
  #ended = false;

  private constructor(
    /** The one in charge. */
    readonly first: S,
    private readonly make: MakeSlot<S>,
    private readonly context: SlotsContext,
  ) {}

  /** Throws what the one in charge does; shadows are made later, by `setShadows`. */
  static async open<S extends Slot>(
    config: SlotConfig,
    make: MakeSlot<S>,
    context: SlotsContext,
  ): Promise<Slots<S>> {
    try {
      return new Slots(await make(config, hooksOf(config, context)), make, context);
    } catch (error) {
      // What cannot be loaded is a user's: there its name is to be known.
      if (config.url !== undefined) report(config, context, message(error));
      throw error;
    }
  }

  /** Has every shadow do something. */
  shadows(work: (slot: S) => void): void {
    for (const shadow of this.#shadows.values()) this.#guard(shadow, () => work(shadow.slot));
  }

  /** Has the slot of a flow do something, if there is one. */
  at(flow: number, work: (slot: S) => void): void {
    const shadow = this.#shadows.get(flow);
    if (flow === 0) work(this.first);
    else if (shadow !== undefined) this.#guard(shadow, () => work(shadow.slot));
  }

  /** Replaces the shadows by those; those that stay go on. Shadows that cannot be made are reported. */
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

  /** Takes a shadow out; what it still gives away of its records is kept. */
  #remove({ config, slot }: Shadow<S>): void {
    this.#shadows.delete(config.flow);
    try {
      this.context.reporter.batches(slot.drain());
      slot.destroy();
    } catch {
      // It has failed already, and that was reported.
    }
  }

  /** What the one in charge recorded, then what the shadows did. */
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
