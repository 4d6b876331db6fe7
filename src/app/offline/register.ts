/** Stores the app so that it works offline, and says when a newer version exists. */
import { SERVER_METRIC } from '../../link/server_protocol.js';
import { notify } from '../notices.js';
import { hasMetric } from '../server_timing.js';
import { WORKER_FILE, type IsCurrent } from './messages.js';

function tellNewer(): void {
  notify(
    'info',
    'newer',
    'There is a newer version of ccscope.',
    'It is used from the next time that the page is loaded.',
    { actions: [{ label: 'Reload now', run: () => location.reload() }], whenIdle: true },
  );
}

/** A new worker waits until no page of the version before is open. */
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
  // The local server runs on this machine and serves the latest build: nothing of it is stored.
  if (hasMetric(SERVER_METRIC)) {
    await (await serviceWorker.getRegistration('./'))?.unregister();
    return;
  }
  follow(await serviceWorker.register(`./${WORKER_FILE}`));
}

/** Begins once the page has loaded everything that it needs itself. */
export function keepOffline(): void {
  if (import.meta.env.DEV || !('serviceWorker' in navigator)) return;
  // Where a browser refuses, as some private windows do, the page works as long as its host can be reached.
  const begin = (): void => void register().catch(() => undefined);
  if (document.readyState === 'complete') begin();
  else addEventListener('load', begin, { once: true });
}
