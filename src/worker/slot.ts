/**
 * A half of a controller as a pipeline sees it, wherever it runs. A call has several: slot 0 is in
 * charge, the others are shadows, fed the same and never obeyed.
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
