import type { ShaperLink } from '../../src/shaper/index.js';

/** The packets that were sent, and the packets that arrived. Times are in microseconds, on the system's clock. */
export interface Passage {
  /** Send times, indexed by sequence number. */
  sentUs: Float64Array;
  /** The sequence numbers of the packets that arrived, in the order of their arrival. */
  sequence: Uint32Array;
  receivedUs: Float64Array;
  /** The size of each packet, with headers. */
  sizeBytes: number;
}
export interface Traffic {
  /** The rate on the wire, i.e. including the packets' headers. */
  rateBps: number;
  sizeBytes: number;
  durationS: number;
  pattern?: 'constant' | 'poisson';
  seed?: number;
  /** The number of connections over which packets are sent in turn; default 1. */
  connections?: number;
  /** Called, and awaited, after both ends have answered each other's ICE checks, and before the first packet. */
  prepare?: () => Promise<unknown>;
}
export const HEADER_BYTES: number;
/**
 * Sends packets through the relay of a link, in the forward direction; the sender and the receiver run in separate
 * threads.
 */
export function sendThrough(link: ShaperLink, traffic: Traffic): Promise<Passage>;
export function excessUs(
  passage: Passage,
  ideal: { capacityBps: number; oneWayDelayUs?: number },
): Float64Array;
/**
 * The received rate divided by the rate that an ideal link with a drop-tail queue of `queueUs` would have let through.
 */
export function rateRatio(
  passage: Passage,
  capacityBps: number,
  options?: { skipS?: number; queueUs?: number },
): number;
export function quantile(values: ArrayLike<number>, q: number): number;
/**
 * The narrowest range of counts that leaves out at most (1 - confidence) / 2 of a binomial distribution on either side.
 */
export function binomialInterval(n: number, p: number, confidence: number): [least: number, most: number];
