/**
 * The interface of controllers written by users. The core provides everything else: the received rate, packet
 * counters, echo and RTT, the application's bounds, pacing, and the rows of the trace.
 */
import type { Feedback } from './feedback.js';

/** A congestion controller: a factory of its two halves. Each flow gets its own pair of halves. */
export interface UserController {
  /** Shown in reports, traces and pages. */
  readonly name: string;
  /** Creates the half that sees arrivals. In a call it runs in the receiving page. */
  createReceiver(options: HalfOptions): UserReceiverHalf;
  /** Creates the half that sees feedback and sets the rates. In a call it runs in the sending page. */
  createSender(options: HalfOptions): UserSenderHalf;
}

/** The arguments with which a half is created. */
export interface HalfOptions {
  /** The application's bounds. The core keeps every rate within them. */
  minBitrateBps: number;
  maxBitrateBps: number;
  /** The rate that applies until the sender half requests another one. */
  startBitrateBps: number;
  /** Number of the flow in traces. */
  flow: number;
  /**
   * The seed of the run, the same for all flows. A half that needs random numbers must derive them from `seed` and
   * `flow`, so that the same run can be repeated.
   */
  seed: number;
}

/**
 * The arrival of a frame (in a call) or of a packet (in a simulation). Times are in microseconds. The arrival
 * time is on the receiver's clock.
 */
export interface Arrival {
  seq: number;
  /** When the frame or packet was sent, on the sender's clock. */
  sendTimeUs: number;
  arrivalTimeUs: number;
  sizeBytes: number;
  rtpTimestamp?: number;
  keyFrame: boolean;
  /** The RTT, as last measured by the sender. */
  rttUs?: number;
}

/** Cumulative counters of what arrived on the wire, including headers. Available in calls only. */
export interface InboundCounters {
  timeUs: number;
  packetsReceived: number;
  packetsLost: number;
  bytesReceived: number;
}

/**
 * Numbers for the sender half: at most 64, all finite. A list, even an empty one, makes the core send a message
 * now. With null or undefined, no message is sent.
 */
export type FeedbackValues = readonly number[] | null | undefined;

/**
 * The half that sees arrivals. The numbers that it returns are sent together with the fields that every {@link
 * Feedback} has.
 */
export interface UserReceiverHalf {
  onArrival(arrival: Arrival): FeedbackValues;
  onInbound?(counters: InboundCounters): FeedbackValues;
}

/** The rates that a sender half requests. */
export interface UserRate {
  /** The target rate for the encoder. */
  targetBps: number;
  /** The rate for the pacer; default: 1.5 times the target. A value below the target is raised to the target. */
  pacingBps?: number;
}

/** The half that sees feedback and sets the rates. */
export interface UserSenderHalf {
  /** A message from the receiver half has arrived; `nowUs` is on the sender's clock. */
  onFeedback(feedback: Feedback, nowUs: number): void;
  /** A round trip was measured. */
  onRtt?(rttUs: number): void;
  /** Called after each feedback message. In calls it is also called every 100 ms. */
  rate(nowUs: number): UserRate;
}

/** A fault of a user's controller. After the fault, the controller's flow keeps the last good rate. */
export interface ControllerFault {
  /** Name of the controller. */
  controller: string;
  half: 'receiver' | 'sender';
  flow: number;
  timeUs: number;
  message: string;
}

/**
 * Checks whether `value` is a user's controller. If so, returns null. Otherwise returns the field that is wrong,
 * and what was expected there.
 */
export function userControllerProblem(value: unknown): { field: string; expected: string } | null {
  if (typeof value !== 'object' || value === null) return { field: 'controller', expected: 'an object' };
  const { name, createReceiver, createSender } = value as Partial<Record<keyof UserController, unknown>>;
  if (typeof name !== 'string' || name === '') return { field: 'controller.name', expected: 'a name' };
  const makers = { createReceiver, createSender };
  for (const [field, maker] of Object.entries(makers))
    if (typeof maker !== 'function') return { field: `controller.${field}`, expected: 'a function' };
  return null;
}
