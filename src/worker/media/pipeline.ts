import type { LinkOptions } from '../../core/index.js';
import type { SlotConfig } from '../slot.js';
import type { EncodedFrame } from './encoded.js';
import type { InboundReport, ReceiverReport, SentReport } from './protocol.js';

/**
 * What one side of a call does between the frames and the core. Any method may throw if the core
 * fails.
 */
export interface Pipeline {
  /** Handles a frame: passes it on with `forward`, now or later, or drops it. */
  frame(frame: EncodedFrame, forward: (frame: EncodedFrame) => void): void;
  /** Regular work; called every `TICK_MS`. */
  tick(): void;
  /** Sets a parameter of the controller in charge. */
  setParameter(name: string, value: number): void;
  setPreset(name: string): void;
  /**
   * Replaces the controllers that are not in charge. If one of them fails, this is reported and
   * never thrown.
   */
  setShadows(shadows: readonly SlotConfig[]): Promise<void>;
  /** Sends everything that the core has recorded so far. */
  flush(): void;
  /** Passes on all frames that are still held back. Does not use the core, which may have failed. */
  release(): void;
  destroy(): void;

  inbound?(report: InboundReport): void;
  sent?(report: SentReport): void;
  feedback?(bytes: ArrayBuffer): void;
  receiverReport?(report: ReceiverReport): void;
  setBottleneck?(options: Partial<LinkOptions>): void;
}
