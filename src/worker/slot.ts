/**
 * A half of a controller as a pipeline sees it, wherever it runs. A call has several: slot 0 is in charge, the
 * others are shadows, given the same input and never obeyed.
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
  /** Instead, a user's: a module of JavaScript or WebAssembly, which runs in a separate worker. */
  url?: string;
}

/** Common to both halves. */
export interface Slot {
  setParameter(name: string, value: number): void;
  setPreset(name: string): void;
  /** The rows since the last call. */
  drain(): TraceBatch[];
  destroy(): void;
}

/** Sees arrivals; reports feedback to its hooks, at once or later. */
export interface ReceiverSlot extends Slot {
  pushArrival(row: ArrivalInput): void;
  pushInbound(row: InboundInput): void;
}

/** Sees feedback, gives rates. */
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
