/** Entry point of a worker that contains many traces. Each trace is a TraceService with its own port. */
import { expose } from 'comlink';

import { holdLife } from '../life.js';
import { TraceService } from './trace_service.js';

const api = {
  /** Holds a lock of this name from now on; see life.ts. */
  hold: holdLife,
  /** Creates an empty trace. Pass the other end of the port to `connectTraceStore`. */
  open(port: MessagePort): void {
    expose(new TraceService(), port);
  },
};

export type TracesWorkerApi = typeof api;

expose(api);
