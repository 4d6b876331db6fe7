/** What pages and the service worker say to each other. */

/** Where the worker is, beside the pages. */
export const WORKER_FILE = 'service_worker.js';

/** To a new worker that waits: is the page that has this script one of its own version? It answers yes or no. */
export interface IsCurrent {
  /** Address of the page's script. */
  script: string;
}
