/** The frame worker's script, inserted when the observer is bundled. */
declare const FRAME_WORKER_SOURCE: string;
