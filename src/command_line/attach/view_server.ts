/**
 * Serves the view of attached pages: a page on the local server, and a channel that sends the data of the calls to
 * this page.
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
  /** The messages that a view gets first when it connects. */
  backlog(): Iterable<FeedMessage>;
  /** Sends a request to one browser window; null: to all windows. */
  ask(window: string | null, request: PageRequest): Promise<unknown[]>;
}

export interface ViewServer {
  /** The address of the view, with its key. */
  readonly url: string;
  tell(message: FeedMessage): void;
  /** Tells the views why the server ends, and ends the server. */
  close(why: string): Promise<void>;
}

/** Large enough for the backlog of several connections: a view that connects late gets the whole backlog at once. */
const BUFFER_BYTES = 1 << 26;

/**
 * The folder with the build's output for src/view: it is beside the compiled files or, if the sources run directly,
 * in the build folder.
 */
function viewFolder(): string {
  const folders = ['../../view/', '../../../dist/lib/view/'].map((path) => new URL(path, import.meta.url));
  const built = folders.find((folder) => existsSync(new URL('main.js', folder)));
  if (built === undefined) throw new FailedRun('the page that shows the calls is missing; run npm run build');
  return fileURLToPath(built);
}

/** Starts the server, reachable from this machine only. Throws FailedRun and ServerError. */
export async function serveView(options: ViewOptions): Promise<ViewServer> {
  const key = randomUUID();
  const sockets = new Set<ChannelSocket>();
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
        return {
          heard: (text) => void answer(socket, text, options),
          closed: () => void sockets.delete(socket),
        };
      },
    },
  });
  const tell = (message: FeedMessage): void => {
    const text = JSON.stringify(message);
    for (const socket of sockets) socket.send(text);
  };
  return {
    url: `${server.url}#${key}`,
    tell,
    close: (why) => {
      tell({ type: 'end', message: why });
      return server.close();
    },
  };
}

const send = (socket: ChannelSocket, message: FeedMessage): void => socket.send(JSON.stringify(message));

/** Answers a request, or sends a refusal if the request fails. Ignores messages that are not requests. */
async function answer(socket: ChannelSocket, text: string, { ask }: ViewOptions): Promise<void> {
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
