/**
 * The worker of a view outside the page. The record, the controllers and the recording run in it, so that they
 * do not delay the charts.
 */
import { serveWatch, type WatchStart } from './watch_service.js';

addEventListener('message', ({ data }: MessageEvent<WatchStart>) => serveWatch(data), { once: true });
