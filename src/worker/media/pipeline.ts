import type { LinkOptions } from '../../core/index.js';
import type { SlotConfig } from '../slot.js';
import type { EncodedFrame } from './encoded.js';
import type { InboundReport, ReceiverReport, SentReport } from './protocol.js';

/** The work of one side between the frames and the core. Any method may throw if the core fails. */
export interface Pipeline {
  /** Handles a frame and passes it on with `forward`, now or later, or not at all (a drop). */
  frame(frame: EncodedFrame, forward: (frame: EncodedFrame) => void): void;
  /** Regular work, each `TICK_MS`. */
  tick(): void;
  /** Changes the controller in charge. */
  setParameter(name: string, value: number): void;
  setPreset(name: string): void;
  /** Replaces the controllers that are not in charge. Failing ones are reported, never thrown. */
  setShadows(shadows: readonly SlotConfig[]): Promise<void>;
  /** Sends everything that the core has recorded so far. */
  flush(): void;
  /** Passes on everything that is still held back. The core is not used: it may have failed. */
  release(): void;
  destroy(): void;

  inbound?(report: InboundReport): void;
  sent?(report: SentReport): void;
  feedback?(bytes: ArrayBuffer): void;
  receiverReport?(report: ReceiverReport): void;
  setBottleneck?(options: Partial<LinkOptions>): void;
}
