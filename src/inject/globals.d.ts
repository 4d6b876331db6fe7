/** The frame worker's script, put in when the observer is bundled. */
declare const FRAME_WORKER_SOURCE: string;
