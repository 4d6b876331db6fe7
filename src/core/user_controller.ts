/**
 * Controllers written by users: the interface that such a controller implements. The core provides everything
 * else: the received rate, packet counters, echo and RTT, the application's bounds, pacing, and the rows of
 * the trace.
 */
import type { Feedback } from './feedback.js';

/** A congestion controller: factories of its two halves. Each flow gets its own pair. */
export interface UserController {
  /** Shown in reports, traces and pages. */
  readonly name: string;
  /** Creates the half that sees arrivals. In a call it runs in the receiving page. */
  createReceiver(options: HalfOptions): UserReceiverHalf;
  /** Creates the half that sees feedback and asks for rates. In a call it runs in the sending page. */
  createSender(options: HalfOptions): UserSenderHalf;
}

/** The arguments with which a half is created. */
export interface HalfOptions {
  /** The application's bounds. The core keeps every rate within them. */
  minBitrateBps: number;
  maxBitrateBps: number;
  /** The rate until the sender half asks for another one. */
  startBitrateBps: number;
  /** Number of the flow in traces. */
  flow: number;
  /**
   * The run's seed, the same for all flows. A half that needs random numbers derives them from this and `flow`,
   * so that runs can be repeated.
   */
  seed: number;
}

/** One arrival: a frame in a call, a packet in a simulation. Times in microseconds, each end on its own clock. */
export interface Arrival {
  seq: number;
  /** When it left, on the sender's clock. */
  sendTimeUs: number;
  arrivalTimeUs: number;
  sizeBytes: number;
  rtpTimestamp?: number;
  keyFrame: boolean;
  /** The RTT, as last measured by the sender. */
  rttUs?: number;
}

/** Cumulative counters of what arrived on the wire, headers included; in calls only. */
export interface InboundCounters {
  timeUs: number;
  packetsReceived: number;
  packetsLost: number;
  bytesReceived: number;
}

/**
 * Numbers for the sender half: at most 64, all finite. Returning a list, even an empty one, sends a message now;
 * null or undefined sends none.
 */
export type FeedbackValues = readonly number[] | null | undefined;

/**
 * The half that sees arrivals. What it returns is sent together with the fields that every {@link Feedback} has.
 */
export interface UserReceiverHalf {
  onArrival(arrival: Arrival): FeedbackValues;
  onInbound?(counters: InboundCounters): FeedbackValues;
}

/** The rates that a sender half asks for. */
export interface UserRate {
  /** For the encoder. */
  targetBps: number;
  /** For the pacer; default: 1.5 times the target. A value below the target is raised to it. */
  pacingBps?: number;
}

/** The half that sees feedback and asks for rates. */
export interface UserSenderHalf {
  /** A message from the receiver half has arrived; `nowUs` is on the sender's clock. */
  onFeedback(feedback: Feedback, nowUs: number): void;
  /** A round trip was measured. */
  onRtt?(rttUs: number): void;
  /** Called after each message; in calls also every 100 ms. */
  rate(nowUs: number): UserRate;
}

/** What a user's controller did wrong. From then on its flow keeps the last good rate. */
export interface ControllerFault {
  /** Name of the controller. */
  controller: string;
  half: 'receiver' | 'sender';
  flow: number;
  timeUs: number;
  message: string;
}

/**
 * Checks whether `value` is a user's controller. Returns null if it is, else the wrong field and what was
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
