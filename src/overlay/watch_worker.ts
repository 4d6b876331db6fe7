/** The worker behind a view outside the page: record, controllers and recording. Charts do not wait for it. */
import { serveWatch, type WatchStart } from './watch_service.js';

addEventListener('message', ({ data }: MessageEvent<WatchStart>) => serveWatch(data), { once: true });
