/** A wake-up that came late; times are milliseconds of the Unix epoch. */
export interface LateWake {
  toMs: number;
  lateMs: number;
}
export interface Attempt {
  fromMs: number;
  toMs: number;
}
/**
 * The processors' time counters at one moment, in ticks; absent if the system does not provide them.
 */
export interface ProcessorLook {
  atMs: number;
  all?: number;
  stolen?: number;
}
export interface Wakes {
  lateShare(fromMs: number, toMs: number): number;
  stolenShare(fromMs: number, toMs: number): number;
}
/** Starts watching. */
export function watchWakes(): Wakes & { stop(): Promise<unknown> };
export function lateShare(late: readonly LateWake[], fromMs: number, toMs: number): number;
export function stolenShare(looks: readonly ProcessorLook[], fromMs: number, toMs: number): number;
export function isTaken(wakes: Wakes, attempts: readonly Attempt[]): boolean;
export function partsOf(fromMs: number, toMs: number, count: number): Attempt[];
