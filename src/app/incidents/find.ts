import { wrap } from 'comlink';

import type { RecordedIncidents } from '../../watch/recorded_incidents.js';
import type { IncidentService } from './worker.js';

/**
 * Finds the incidents of a recording in a separate worker. Rejects if the recording is damaged or contains no data in
 * which incidents can be found. If `signal` is aborted, ends the search and rejects.
 */
export async function findIncidents(recording: Blob, signal: AbortSignal): Promise<RecordedIncidents> {
  signal.throwIfAborted();
  const worker = new Worker(new URL('./worker.js', import.meta.url), { type: 'module' });
  try {
    const failed = new Promise<never>((_, reject) => {
      worker.addEventListener('error', ({ message }) =>
        reject(new Error(message || 'the worker that finds incidents did not start')),
      );
      signal.addEventListener('abort', () => reject(signal.reason as Error), { once: true });
    });
    return await Promise.race([wrap<IncidentService>(worker).find(recording), failed]);
  } finally {
    worker.terminate();
  }
}
