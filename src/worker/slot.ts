/**
 * A slot runs one half of a controller: the receiver half or the sender half. The user of a slot does not
 * need to know whether the half runs in this worker or in a separate one. A call has several slots. Slot 0
 * controls the call. The others are shadows: they get the same input, but their results are only recorded.
 */
import type {
  ArrivalInput,
  ControllerName,
  Feedback,
  InboundInput,
  RateUpdate,
  TraceBatch,
} from '../core/index.js';

/** The controller that a slot runs, and the number of its flow in the trace. */
export interface SlotConfig {
  /** 0 for the controller in charge; other numbers for shadows. */
  flow: number;
  /** The controller's name in messages. */
  name: string;
  controller?: ControllerName;
  preset?: string;
  parameters: Readonly<Record<string, number>>;
  /**
   * Instead of `controller`: the URL of a user's controller, a JavaScript or WebAssembly module that runs in a
   * separate worker.
   */
  url?: string;
}

/** The methods that receiver slots and sender slots have in common. */
export interface Slot {
  setParameter(name: string, value: number): void;
  setPreset(name: string): void;
  /** Returns the trace rows that were recorded since the last call. */
  drain(): TraceBatch[];
  destroy(): void;
}

/** A receiver half: takes arrivals, and passes feedback to the hook `onFeedback`, immediately or later. */
export interface ReceiverSlot extends Slot {
  pushArrival(row: ArrivalInput): void;
  pushInbound(row: InboundInput): void;
}

/** A sender half: takes feedback and returns rates. */
export interface SenderSlot extends Slot {
  pushFeedback(feedback: Feedback, nowUs: number): void;
  pushReceiverReport(nowUs: number, packetsReceived: number, packetsLost: number): void;
  pushSent(nowUs: number, sentBytes: number, rttUs: number, browserEstimateBps: number): void;
  /**
   * Returns the rates at `nowUs`. If the half has failed, returns its last good rates, or NaN if there are
   * none.
   */
  run(nowUs: number): RateUpdate;
}

/** The callbacks of a slot. */
export interface SlotHooks {
  onFeedback(feedback: Feedback): void;
  /**
   * Called when the half of the controller in this slot runs in a separate worker and has failed permanently. If the
   * half runs in this worker, the method that failed throws instead.
   */
  onFault(message: string): void;
}
