/** Entry of a worker with many traces: each is a TraceService at the other end of a port. */
import { expose } from 'comlink';

import { holdLife } from '../life.js';
import { TraceService } from './trace_service.js';

const api = {
  /** Holds a lock of this name from now on; see life.ts. */
  hold: holdLife,
  /** An empty trace, for `connectTraceStore` on the port's other end. */
  open(port: MessagePort): void {
    expose(new TraceService(), port);
  },
};

export type TracesWorkerApi = typeof api;

expose(api);
