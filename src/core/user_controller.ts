/**
 * The interface of controllers that users write. The core provides everything else: the received rate, packet
 * counters, echo and RTT, the application's bitrate bounds, pacing, and the rows of the trace.
 */
import type { Feedback } from './feedback.js';

/** A congestion controller: creates the two halves for each flow. */
export interface UserController {
  /** The controller's name in reports, traces and pages. */
  readonly name: string;
  /** Creates the half that sees arrivals. In a call, it runs in the receiving page. */
  createReceiver(options: HalfOptions): UserReceiverHalf;
  /** Creates the half that sees feedback and sets the rates. In a call, it runs in the sending page. */
  createSender(options: HalfOptions): UserSenderHalf;
}

/** The arguments for the creation of a half. */
export interface HalfOptions {
  /** The application's bitrate bounds. The core clamps the target rate to them. */
  minBitrateBps: number;
  maxBitrateBps: number;
  /** The rate until the sender half requests another rate. */
  startBitrateBps: number;
  /** The flow's number in traces. */
  flow: number;
  /**
   * The seed of the run, which is the same for all flows. To make a run repeatable, a half must derive its random
   * numbers from `seed` and `flow`.
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
  /** The latest RTT that the sender measured. */
  rttUs?: number;
}

/**
 * Cumulative counters of the packets on the wire, including headers. Only available in calls, and in
 * simulations of live calls.
 */
export interface InboundCounters {
  timeUs: number;
  packetsReceived: number;
  packetsLost: number;
  bytesReceived: number;
}

/**
 * Numbers for the sender half: at most 64, all finite. A list makes the core send a message now, even if the list
 * is empty. Null and undefined send no message. No message is sent before the first arrival.
 */
export type FeedbackValues = readonly number[] | null | undefined;

/**
 * The half that sees arrivals. The numbers that it returns become the `values` of a {@link Feedback}; the core
 * sets the other fields.
 */
export interface UserReceiverHalf {
  onArrival(arrival: Arrival): FeedbackValues;
  onInbound?(counters: InboundCounters): FeedbackValues;
}

/** The rates that a sender half requests. */
export interface UserRate {
  /** The target rate for the encoder. */
  targetBps: number;
  /** The rate for the pacer. Default: 1.5 times the target. A value below the target is raised to the target. */
  pacingBps?: number;
}

/** The half that sees feedback and sets the rates. */
export interface UserSenderHalf {
  /** Called when a message from the receiver half has arrived. `nowUs` is on the sender's clock. */
  onFeedback(feedback: Feedback, nowUs: number): void;
  /** Called when a round trip has been measured. */
  onRtt?(rttUs: number): void;
  /**
   * Returns the rates. Called after each feedback message. In calls, and in simulations of live calls, also
   * called every 100 ms.
   */
  rate(nowUs: number): UserRate;
}

/** A fault of a user's controller. Afterwards, the controller's flow keeps its last good rate. */
export interface ControllerFault {
  /** The name of the controller. */
  controller: string;
  half: 'receiver' | 'sender';
  flow: number;
  timeUs: number;
  message: string;
}

/**
 * Returns null if `value` is a valid user's controller. Otherwise returns the invalid field, and what was
 * expected there.
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
