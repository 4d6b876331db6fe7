/** The messages between a page's observer and its frame worker. */

/** Options of each transform. */
export interface FrameWorkerOptions {
  endpoint: number;
  originEpochMs: number;
}

/**
 * Requests the frames that the worker has recorded since the last request. The answer to the first request also
 * proves that the worker runs.
 */
export interface FrameWorkerRequest {
  id: number;
  /** The time of the request on the page's clock, in milliseconds since the Unix epoch. */
  epochMs: number;
  /** Whether the worker records frames from now on. Default: no change. */
  notes?: boolean;
}

/**
 * How late the worker's ticks were in one second. `epochMs` is the end of that second, in milliseconds since
 * the Unix epoch. `lateMs` is the largest lateness.
 */
export type LateTick = [epochMs: number, lateMs: number];

/**
 * What the worker has recorded since the last request. `rows` has an entry for each endpoint that received
 * frames, in the form of the `frames` message.
 */
export interface FrameWorkerNotes {
  rows: [endpoint: number, rows: number[]][];
  late: LateTick[];
}

export type FrameWorkerAnswer = { id: number } & FrameWorkerNotes;

/**
 * The interval of the worker's ticks, which start with its first transform. Nothing in the page can delay
 * these ticks, so late ticks show that the machine is short of CPU time. The interval is not shorter, because
 * each tick wakes a thread. At 100 ms, the ticks took over a quarter of the worker's CPU time.
 */
export const TICK_MS = 200;
