/** The messages between a page's observer and its frame worker. */

/** Options of each transform. */
export interface FrameWorkerOptions {
  endpoint: number;
  originEpochMs: number;
}

/**
 * Requests the frames that were noted since the last request. The answer to the first request also proves that
 * the worker runs.
 */
export interface FrameWorkerRequest {
  id: number;
  /** Whether the worker notes frames from now on. Default: no change. */
  notes?: boolean;
}

/**
 * The lateness of the worker's ticks during a second: the end of the second, in milliseconds since the Unix
 * epoch, and the largest lateness.
 */
export type LateTick = [epochMs: number, lateMs: number];

/**
 * The notes since the last request. `rows` has an entry for each endpoint that received frames, in the form of
 * the `frames` message.
 */
export interface FrameWorkerNotes {
  rows: [endpoint: number, rows: number[]][];
  late: LateTick[];
}

export type FrameWorkerAnswer = { id: number } & FrameWorkerNotes;

/**
 * The worker ticks at this interval while it notes frames. Nothing in the page can delay these ticks, so lateness
 * shows that the machine is short of CPU time. Each tick wakes a thread; at 100 ms, ticks were over a quarter of
 * the worker's cost.
 */
export const TICK_MS = 200;
