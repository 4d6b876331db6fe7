/** What a page's observer and its frame worker say to each other. */

/** Options of each transform. */
export interface FrameWorkerOptions {
  endpoint: number;
  originEpochMs: number;
}

/** Asks for the frames noted since the last time; the first is also the proof that the worker lives. */
export interface FrameWorkerRequest {
  id: number;
  /** Whether frames are noted from now on; default: as before. */
  notes?: boolean;
}

/** A second in which the worker ticked: its end, in milliseconds of the Unix epoch, and how late its latest tick was. */
export type LateTick = [epochMs: number, lateMs: number];

/** What was noted since the last time: `rows` as in the message `frames`, for each endpoint that received any. */
export interface FrameWorkerNotes {
  rows: [endpoint: number, rows: number[]][];
  late: LateTick[];
}

export type FrameWorkerAnswer = { id: number } & FrameWorkerNotes;

/**
 * The worker ticks at this interval while it has frames to note: a callback that nothing of the page delays.
 * Each tick wakes a thread; at 100 ms ticks were over a quarter of what the worker cost.
 */
export const TICK_MS = 200;
