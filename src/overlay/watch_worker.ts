/**
 * The worker behind a view outside the page. It runs the record, the controllers and the recording, so that these
 * do not delay the charts.
 */
import { serveWatch, type WatchStart } from './watch_service.js';

addEventListener('message', ({ data }: MessageEvent<WatchStart>) => serveWatch(data), { once: true });
