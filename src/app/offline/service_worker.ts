/**
 * The service worker: keeps all files of the app, so that the pages work without a network. What the build names by
 * its contents comes from what is kept. Everything else comes from the network where there is one, so that a new
 * version is there at the next load. An old version is kept as long as one of its pages is open.
 */
import { getCacheKeyForURL, matchPrecache, precache, type PrecacheEntry } from 'workbox-precaching';
import { registerRoute } from 'workbox-routing';
import { NetworkOnly } from 'workbox-strategies';

import type { IsCurrent } from './messages.js';

/** What is used of the scope of a service worker, which TypeScript's types of pages do not have. */
interface WorkerScope {
  registration: { scope: string };
  clients: { claim(): Promise<void> };
}
interface Extendable extends Event {
  waitUntil(work: Promise<unknown>): void;
}

/** All files, as the build has listed them. */
declare const APP_FILES: PrecacheEntry[];

/** A network that takes longer than this counts as none. */
const NETWORK_TIMEOUT_S = 5;

const worker = self as unknown as WorkerScope;

precache(APP_FILES);

/** The kept file for an address: pages have their state in the query, and some hosts leave `.html` out. */
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
    const own = isNamedByContents ? await matchPrecache(options.url.href) : undefined;
    return own ?? networkFirst.handle(options);
  },
);

addEventListener('activate', (event) => {
  (event as Extendable).waitUntil(worker.clients.claim());
});

// A waiting worker never hurries: it begins when no page of the version before is open.
addEventListener('message', ({ data, ports: [port] }: MessageEvent<IsCurrent>) => {
  port?.postMessage(getCacheKeyForURL(data.script) !== undefined);
});
