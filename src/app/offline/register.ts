/** Stores the app so that it works offline, and tells the user when a newer version exists. */
import { SERVER_METRIC } from '../../link/server_protocol.js';
import { notify } from '../notices.js';
import { hasMetric } from '../server_timing.js';
import { WORKER_FILE, type IsCurrent } from './messages.js';

function tellNewer(): void {
  notify(
    'info',
    'newer',
    'There is a newer version of ccscope.',
    'It will be used when the page is next loaded.',
    { actions: [{ label: 'Reload now', run: () => location.reload() }], whenIdle: true },
  );
}

/**
 * Asks a waiting worker whether this page already belongs to the worker's version. If the page is older, tells the
 * user that a newer version exists. (A new worker waits until no page of the previous version is open.)
 */
function askWaiting(waiting: ServiceWorker): void {
  const { port1, port2 } = new MessageChannel();
  port1.onmessage = ({ data: isCurrent }: MessageEvent<boolean>) => {
    port1.close();
    if (!isCurrent) tellNewer();
  };
  const script = document.querySelector<HTMLScriptElement>('script[type=module][src]')?.src ?? '';
  waiting.postMessage({ script } satisfies IsCurrent, [port2]);
}

function follow(registration: ServiceWorkerRegistration): void {
  const lookAt = (worker: ServiceWorker | null): void => {
    worker?.addEventListener('statechange', () => {
      if (worker === registration.waiting) askWaiting(worker);
    });
  };
  if (registration.waiting) askWaiting(registration.waiting);
  lookAt(registration.installing);
  registration.addEventListener('updatefound', () => lookAt(registration.installing));
  document.addEventListener('visibilitychange', () => {
    if (document.visibilityState === 'visible') void registration.update().catch(() => undefined);
  });
}

async function register(): Promise<void> {
  const { serviceWorker } = navigator;
  // The local server runs on this machine and serves the latest build, so nothing is stored.
  if (hasMetric(SERVER_METRIC)) {
    await (await serviceWorker.getRegistration('./'))?.unregister();
    return;
  }
  follow(await serviceWorker.register(`./${WORKER_FILE}`));
}

/** Registers the service worker once the page itself has loaded. */
export function keepOffline(): void {
  if (import.meta.env.DEV || !('serviceWorker' in navigator)) return;
  // If the browser refuses service workers, as in some private windows, the page needs a connection to its host.
  const begin = (): void => void register().catch(() => undefined);
  if (document.readyState === 'complete') begin();
  else addEventListener('load', begin, { once: true });
}
