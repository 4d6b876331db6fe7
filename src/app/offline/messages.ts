/** The messages between the pages and the service worker. */

/** The file name of the service worker's script, which is in the folder of the pages. */
export const WORKER_FILE = 'service_worker.js';

/**
 * Asks a waiting service worker whether the page with this script belongs to the worker's own version. The worker
 * answers with a boolean.
 */
export interface IsCurrent {
  /** Address of the page's script. */
  script: string;
}
