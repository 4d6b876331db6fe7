/** The view's end of the channel: receives the reports of pages, and sends requests to the pages. */
import { signal } from '@preact/signals';
import { wrap, type Remote } from 'comlink';

import type { PageRequest } from '../inject/protocol.js';
import { Model } from '../overlay/model.js';
import type { WatchService, WatchStart } from '../overlay/watch_service.js';
import { readActionResult } from '../watch/action_result.js';
import { readFeedMessage, VIEW_PATH, type FeedMessage, type ViewMessage } from '../watch/view_protocol.js';

interface Waiting {
  resolve(results: unknown[]): void;
  reject(error: Error): void;
}

const ENDED = 'ccscope attach has ended. What it has shown stays here until this page is closed.';
const NOBODY = 'Nobody answers here: open the address that ccscope attach prints.';

export class ViewClient {
  /** A title that names the browser whose calls are shown. */
  readonly title = signal('');
  /** Null until the message `begin` has arrived. */
  readonly model = signal<Model | null>(null);
  /** The reason why no more messages will come; null while they may still come. */
  readonly ended = signal<string | null>(null);
  /** Whether this view, or another one, has paused the observers of the pages. */
  readonly paused = signal(false);
  readonly #socket: WebSocket;
  readonly #waiting = new Map<number, Waiting>();
  #watch: Remote<WatchService> | null = null;
  #nextId = 0;

  /** `key` is the part of the address after #. */
  constructor(key: string) {
    const url = new URL(`${VIEW_PATH}${encodeURIComponent(key)}`, location.href);
    url.protocol = location.protocol === 'https:' ? 'wss:' : 'ws:';
    this.#socket = new WebSocket(url);
    this.#socket.addEventListener('message', ({ data }: MessageEvent<unknown>) => {
      if (typeof data === 'string') this.#hear(readFeedMessage(data));
    });
    this.#socket.addEventListener('close', () => this.#end(this.#watch === null ? NOBODY : ENDED));
  }

  #hear(message: FeedMessage): void {
    switch (message.type) {
      case 'begin':
        this.#begin(message);
        break;
      case 'batch':
        void this.#tell((watch) => watch.hear(message.batch, message.place));
        break;
      case 'window-ended':
        void this.#tell((watch) => watch.windowEnded(message.window));
        break;
      case 'paused':
        this.paused.value = message.paused;
        break;
      case 'answer':
        this.#waiting.get(message.id)?.resolve(message.results);
        this.#waiting.delete(message.id);
        break;
      case 'refusal':
        this.#waiting.get(message.id)?.reject(new Error(message.message));
        this.#waiting.delete(message.id);
        break;
      case 'end':
        this.#end(message.message);
        break;
    }
  }

  #begin({ originEpochMs, title }: Extract<FeedMessage, { type: 'begin' }>): void {
    const { port1, port2 } = new MessageChannel();
    const worker = new Worker(new URL('watch_worker.js', location.href), { type: 'module' });
    // This page stores nothing: its data are lost when it is closed. `ccscope attach --record` stores the data.
    const start: WatchStart = { originEpochMs, place: 'worker', spills: false, port: port2 };
    worker.postMessage(start, [port2]);
    this.#watch = wrap<WatchService>(port1);
    this.title.value = title;
    this.model.value = new Model(this.#watch, async (action, window) => {
      const results = await this.ask(window, { type: 'act', action }).catch(() => []);
      return readActionResult(results[0]);
    });
  }

  async #tell(tell: (watch: Remote<WatchService>) => Promise<void>): Promise<void> {
    if (this.#watch === null) return;
    await tell(this.#watch);
    await this.model.value?.refresh();
  }

  #end(why: string): void {
    this.ended.value ??= why;
    for (const { reject } of this.#waiting.values()) reject(new Error(why));
    this.#waiting.clear();
  }

  /**
   * Sends a request to a window (page, iframe or popup), or to all windows if `window` is null. `window` is the
   * window's name in the batches of reports that the window sends. Resolves to the answers. Rejects if the request is
   * refused, or if the channel has ended.
   */
  ask(window: string | null, request: PageRequest): Promise<unknown[]> {
    const id = this.#nextId++;
    return new Promise((resolve, reject) => {
      const ended = this.ended.peek();
      if (ended !== null) {
        reject(new Error(ended));
        return;
      }
      this.#waiting.set(id, { resolve, reject });
      this.#socket.send(JSON.stringify({ id, window, request } satisfies ViewMessage));
    });
  }
}
