/** What pages and the service worker say to each other. */

/** The service worker's script; it lies beside the pages. */
export const WORKER_FILE = 'service_worker.js';

/**
 * Asks a new worker that waits whether the page with this script is of the worker's own version. It answers yes
 * or no.
 */
export interface IsCurrent {
  /** Address of the page's script. */
  script: string;
}
