/** The watch of the view has a thread of its own, so that charts do not wait for controllers. */
import { serveWatch, type WatchStart } from '../overlay/watch_service.js';

addEventListener('message', ({ data }: MessageEvent<WatchStart>) => serveWatch(data), { once: true });
