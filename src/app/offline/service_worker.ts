/**
 * The service worker: stores all files of the app, so that the pages work without a network. Files whose names
 * contain a hash of their contents come from the store if they are there. All other files come from the network, so
 * that the next load shows a new version; the store is used only if the network does not answer. What is not stored
 * comes from the network, however late it answers. An old version is kept as long as one of its pages is open.
 */
import { getCacheKeyForURL, matchPrecache, precache, type PrecacheEntry } from 'workbox-precaching';
import { registerRoute } from 'workbox-routing';
import { NetworkOnly } from 'workbox-strategies';

import type { IsCurrent } from './messages.js';

/** The parts of a service worker's scope that are used here; TypeScript's types for pages do not have them. */
interface WorkerScope {
  registration: { scope: string };
  clients: { claim(): Promise<void> };
}
interface Extendable extends Event {
  waitUntil(work: Promise<unknown>): void;
}

/** The list of all files, which the build inserts. */
declare const APP_FILES: PrecacheEntry[];

/** If the network does not answer within this time, the stored file is used, if there is one. */
const NETWORK_TIMEOUT_S = 5;

const worker = self as unknown as WorkerScope;

precache(APP_FILES);

/**
 * The stored file for an address. The query is ignored, since pages keep only their state in it. `.html` is added
 * where needed, since some hosts omit it from addresses.
 */
async function kept(address: string): Promise<Response | undefined> {
  const { origin, pathname } = new URL(address);
  const path = origin + pathname;
  if (path.endsWith('/')) return matchPrecache(`${path}index.html`);
  return (await matchPrecache(path)) ?? matchPrecache(`${path}.html`);
}

const networkFirst = new NetworkOnly({
  networkTimeoutSeconds: NETWORK_TIMEOUT_S,
  plugins: [{ handlerDidError: ({ request }) => kept(request.url) }],
});

registerRoute(
  ({ url, sameOrigin }) => sameOrigin && url.href.startsWith(worker.registration.scope),
  async (options) => {
    const isNamedByContents = options.url.pathname.includes('/assets/');
    const stored = await kept(options.url.href);
    if (stored === undefined) return fetch(options.request);
    return isNamedByContents ? stored : networkFirst.handle(options);
  },
);

addEventListener('activate', (event) => {
  (event as Extendable).waitUntil(worker.clients.claim());
});

// Answers IsCurrent. There is no handler that activates a waiting worker: it becomes active by itself once no page of
// the earlier version is open.
addEventListener('message', ({ data, ports: [port] }: MessageEvent<IsCurrent>) => {
  port?.postMessage(getCacheKeyForURL(data.script) !== undefined);
});
