/**
 * The worker of a view outside the page. The watch, with its controllers and its recording, runs in this worker,
 * so that it does not delay the charts.
 */
import { serveWatch, type WatchStart } from './watch_service.js';

addEventListener('message', ({ data }: MessageEvent<WatchStart>) => serveWatch(data), { once: true });
