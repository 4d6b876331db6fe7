/** The messages between a page's observer and its frame worker. */

/** Options of each transform. */
export interface FrameWorkerOptions {
  endpoint: number;
  originEpochMs: number;
}

/** Requests the frames noted since the last request; the first request also proves that the worker runs. */
export interface FrameWorkerRequest {
  id: number;
  /** Whether frames are noted from now on; default: as before. */
  notes?: boolean;
}

/**
 * A second in which the worker ticked: its end, in milliseconds since the Unix epoch, and the largest lateness of
 * its ticks.
 */
export type LateTick = [epochMs: number, lateMs: number];

/**
 * What was noted since the last request: `rows` as in the message `frames`, for each endpoint that received any.
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
