import type { LinkOptions } from '../../core/index.js';
import type { SlotConfig } from '../slot.js';
import type { EncodedFrame } from './encoded.js';
import type { InboundReport, ReceiverReport, SentReport } from './protocol.js';

/**
 * One side of a call: connects its frames to the core. If the core fails, any method may throw, unless its own
 * comment excludes this.
 */
export interface Pipeline {
  /** Handles a frame: passes it on with `forward`, now or later, or drops it. */
  frame(frame: EncodedFrame, forward: (frame: EncodedFrame) => void): void;
  /** Runs periodic work. Called every `TICK_MS`. */
  tick(): void;
  /** Sets a parameter of the controller in charge. */
  setParameter(name: string, value: number): void;
  setPreset(name: string): void;
  /**
   * Replaces the shadows, the controllers that are not in charge. A shadow that fails is reported; its error is
   * never thrown.
   */
  setShadows(shadows: readonly SlotConfig[]): Promise<void>;
  /** Sends the page everything that the core has recorded so far. */
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
