/**
 * Serves the view of attached pages: a web page on the local server, and a channel over which the view receives
 * the data of the calls.
 */
import { randomUUID } from 'node:crypto';
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

import { startServer, type ChannelSocket } from '../../server/server.js';
import { FailedRun } from '../../text/errors.js';
import { readViewMessage, VIEW_PATH, type FeedMessage, type PageRequest } from '../../watch/index.js';

interface ViewOptions {
  title: string;
  originEpochMs: number;
  /** The messages that a view receives when it connects. */
  backlog(): Iterable<FeedMessage>;
  /** Sends a request to one browser window, or to all windows if `window` is null. */
  ask(window: string | null, request: PageRequest): Promise<unknown[]>;
}

export interface ViewServer {
  /** The address of the view, including the key of the channel. */
  readonly url: string;
  tell(message: FeedMessage): void;
  /** Sends the views `why` as the reason for the end, and stops the server. */
  close(why: string): Promise<void>;
}

/** Large enough for the backlog of several connections, which a view that connects late receives at once. */
const BUFFER_BYTES = 1 << 26;

/**
 * The folder with the build's output for src/view. If this code is compiled, the folder is beside it, otherwise in
 * `dist`.
 */
function viewFolder(): string {
  const folders = ['../../view/', '../../../dist/lib/view/'].map((path) => new URL(path, import.meta.url));
  const built = folders.find((folder) => existsSync(new URL('main.js', folder)));
  if (built === undefined)
    throw new FailedRun('the page that shows the calls is missing; run `npm run build`');
  return fileURLToPath(built);
}

/** Starts the server, reachable from this machine only. Throws FailedRun and ServerError. */
export async function serveView(options: ViewOptions): Promise<ViewServer> {
  const key = randomUUID();
  const sockets = new Set<ChannelSocket>();
  const tell = (message: FeedMessage): void => {
    const text = JSON.stringify(message);
    for (const socket of sockets) socket.send(text);
  };
  let isPaused = false;
  const ask: ViewOptions['ask'] = async (window, request) => {
    const { type } = request;
    const isPause = window === null && (type === 'pause' || type === 'resume');
    if (isPause) isPaused = type === 'pause';
    const results = await options.ask(window, request);
    // All views are told, since the observers of the pages are paused for all of them.
    if (isPause) tell({ type: 'paused', paused: isPaused });
    return results;
  };
  const server = await startServer({
    appDir: viewFolder(),
    limits: { sessions: 0, buffer_bytes: BUFFER_BYTES },
    channel: {
      path: `${VIEW_PATH}${key}`,
      opened: (socket) => {
        sockets.add(socket);
        const { title, originEpochMs } = options;
        send(socket, { type: 'begin', title, originEpochMs });
        for (const message of options.backlog()) send(socket, message);
        send(socket, { type: 'paused', paused: isPaused });
        return {
          heard: (text) => void answer(socket, text, ask),
          closed: () => void sockets.delete(socket),
        };
      },
    },
  });
  return {
    url: `${server.url}#${key}`,
    tell: (message) => {
      tell(message);
      // A document that was loaded during a pause has a new observer, which is not paused yet.
      if (isPaused && message.type === 'batch')
        void options.ask(message.batch.window, { type: 'pause' }).catch(() => undefined);
    },
    close: (why) => {
      tell({ type: 'end', message: why });
      return server.close();
    },
  };
}

const send = (socket: ChannelSocket, message: FeedMessage): void => socket.send(JSON.stringify(message));

/** Answers a request from a view, or sends a refusal if the request fails. Ignores messages that are not requests. */
async function answer(socket: ChannelSocket, text: string, ask: ViewOptions['ask']): Promise<void> {
  let id: number | null = null;
  try {
    const message = readViewMessage(text);
    ({ id } = message);
    send(socket, { type: 'answer', id, results: await ask(message.window, message.request) });
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    if (id !== null) send(socket, { type: 'refusal', id, message });
  }
}
