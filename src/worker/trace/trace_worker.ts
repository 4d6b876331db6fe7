/** Entry point of the trace worker; see trace_client.ts for its other end. */
import { expose } from 'comlink';

import { TraceService } from './trace_service.js';

expose(new TraceService());
