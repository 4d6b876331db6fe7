/** Entry of the trace worker; see trace_client.ts for its other end. */
import { expose, transfer } from 'comlink';

import { TraceService } from './trace_service.js';
import type { TraceView, ViewQuery } from '../../trace/index.js';

class TransferringService extends TraceService {
  override view(query: ViewQuery): TraceView {
    const view = super.view(query);
    return transfer(
      view,
      Object.values(view.columns).map((column) => column.buffer),
    );
  }
}

expose(new TransferringService());
