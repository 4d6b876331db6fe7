import type { ShaperLink } from '../../src/shaper/index.js';

/** What went in and what came out. Times in microseconds on the system's clock. */
export interface Passage {
  /** By sequence number. */
  sentUs: Float64Array;
  /** The numbers of the packets that came, in the order of their arrival. */
  sequence: Uint32Array;
  receivedUs: Float64Array;
  /** The size of each packet, with headers. */
  sizeBytes: number;
}
export interface Traffic {
  /** With headers. */
  rateBps: number;
  sizeBytes: number;
  durationS: number;
  pattern?: 'constant' | 'poisson';
  seed?: number;
  /** Over how many connections packets go in turns; default 1. */
  connections?: number;
  /** Awaited when each end has answered the check of the other, before the first packet. */
  prepare?: () => Promise<unknown>;
}
export const HEADER_BYTES: number;
/** Sends through the relay of a link, forward, from two threads of their own. */
export function sendThrough(link: ShaperLink, traffic: Traffic): Promise<Passage>;
export function excessUs(
  passage: Passage,
  ideal: { capacityBps: number; oneWayDelayUs?: number },
): Float64Array;
/** What came over what an ideal link with a drop-tail queue of so long a delay would have let through. */
export function rateRatio(
  passage: Passage,
  capacityBps: number,
  options?: { skipS?: number; queueUs?: number },
): number;
export function quantile(values: ArrayLike<number>, q: number): number;
/** The narrowest counts of a binomial distribution that leave out at most so much on either side. */
export function binomialInterval(n: number, p: number, confidence: number): [least: number, most: number];
