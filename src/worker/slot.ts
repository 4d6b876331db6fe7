/**
 * A half of a controller as a pipeline sees it, wherever it runs. A call has several slots: slot 0 is in
 * charge; the others are shadows, which get the same input, but whose results are only recorded.
 */
import type {
  ArrivalInput,
  ControllerName,
  Feedback,
  InboundInput,
  RateUpdate,
  TraceBatch,
} from '../core/index.js';

/** Which controller a slot runs, and as which flow of the trace. */
export interface SlotConfig {
  /** 0: in charge; others: shadows. */
  flow: number;
  /** Its name in messages. */
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

/** The methods that both halves have. */
export interface Slot {
  setParameter(name: string, value: number): void;
  setPreset(name: string): void;
  /** The rows since the last call. */
  drain(): TraceBatch[];
  destroy(): void;
}

/** A receiver half: takes arrivals, and passes feedback to its hooks, at once or later. */
export interface ReceiverSlot extends Slot {
  pushArrival(row: ArrivalInput): void;
  pushInbound(row: InboundInput): void;
}

/** A sender half: takes feedback and returns rates. */
export interface SenderSlot extends Slot {
  pushFeedback(feedback: Feedback, nowUs: number): void;
  pushReceiverReport(nowUs: number, packetsReceived: number, packetsLost: number): void;
  pushSent(nowUs: number, sentBytes: number, rttUs: number, browserEstimateBps: number): void;
  /** The rates at `nowUs`, or the last good ones of a half that failed; NaN until there are any. */
  run(nowUs: number): RateUpdate;
}

/** The callbacks of a slot. */
export interface SlotHooks {
  onFeedback(feedback: Feedback): void;
  /** The half failed for good. A half that runs in this worker throws instead, from the method that failed. */
  onFault(message: string): void;
}
