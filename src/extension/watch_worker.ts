/** The worker behind a panel: record, controllers and recording of one tab. */
import { serveWatch, type WatchStart } from '../overlay/watch_service.js';

addEventListener('message', ({ data }: MessageEvent<WatchStart>) => serveWatch(data), { once: true });
