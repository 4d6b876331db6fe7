/** What a page's observer and its frame worker say to each other. Types only. */

/** Options of each transform. */
export interface FrameWorkerOptions {
  endpoint: number;
  originEpochMs: number;
}

/** Asks for the frames noted since the last time; the first is also the proof that the worker lives. */
export interface FrameWorkerRequest {
  id: number;
}

/** `rows` as in the message `frames`, for each endpoint that received any. */
export interface FrameWorkerAnswer {
  id: number;
  rows: [endpoint: number, rows: number[]][];
}
