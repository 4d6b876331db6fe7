/** Entry of the trace worker; see trace_client.ts for its other end. */
import { expose } from 'comlink';

import { TransferringService } from './trace_service.js';

expose(new TransferringService());
