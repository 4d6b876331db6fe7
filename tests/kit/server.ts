/**
 * Serves the pages under test and the bundles of third-party libraries, and carries signals between two
 * pages.
 */
import { existsSync, readFileSync } from 'node:fs';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { createRequire } from 'node:module';
import type { AddressInfo } from 'node:net';

const resolve = createRequire(import.meta.url).resolve;

const bundles: Readonly<Record<string, string>> = {
  '/simplepeer.min.js': resolve('simple-peer/simplepeer.min.js'),
  '/peerjs.min.js': resolve('peerjs/dist/peerjs.min.js'),
  '/janus.js': resolve('janus-gateway'),
  '/adapter.js': createRequire(resolve('janus-gateway')).resolve('webrtc-adapter/out/adapter.js'),
};

/** HTTP headers with which a page under test is served. */
export type PageHeaders = Readonly<Record<string, string>>;

export interface TestServer {
  readonly url: string;
  /** The headers with which pages are served. A change applies to later requests. */
  headers: PageHeaders;
  close(): Promise<void>;
}

const PAGES = new URL('./pages/', import.meta.url);

/** The content of a file, from the first of these folders in which the file exists. */
function file(name: string, folders: readonly URL[]): Buffer {
  const urls = folders.map((folder) => new URL(name, folder));
  return readFileSync(urls.find((url) => existsSync(url)) ?? new URL(name, PAGES));
}

const types: Readonly<Record<string, string>> = { html: 'text/html', js: 'text/javascript' };

async function body(request: IncomingMessage): Promise<string> {
  let text = '';
  for await (const chunk of request) text += String(chunk);
  return text;
}

/**
 * Carries messages between the two sides of a room, i.e. of one call. If a side does not listen yet, the
 * messages for it are kept.
 */
class Rooms {
  readonly #streams = new Map<string, ServerResponse>();
  readonly #kept = new Map<string, string[]>();

  listen(side: string, response: ServerResponse): void {
    response.writeHead(200, { 'Content-Type': 'text/event-stream', 'Cache-Control': 'no-store' });
    response.flushHeaders();
    for (const text of this.#kept.get(side) ?? []) response.write(`data: ${text}\n\n`);
    this.#kept.delete(side);
    this.#streams.set(side, response);
    response.on('close', () => this.#streams.delete(side));
  }

  post(side: string, text: string): void {
    const stream = this.#streams.get(side);
    if (stream !== undefined) stream.write(`data: ${text}\n\n`);
    else this.#kept.set(side, [...(this.#kept.get(side) ?? []), text]);
  }
}

/** Starts the server on a free port. Pages in the folder `own` take precedence over the kit's. */
export async function startTestServer(own: URL = PAGES): Promise<TestServer> {
  const rooms = new Rooms();
  const served = { headers: {} as PageHeaders };
  const answer = async (request: IncomingMessage, response: ServerResponse) => {
    const { pathname } = new URL(request.url ?? '/', 'http://localhost');
    if (pathname.startsWith('/hear/')) {
      rooms.listen(pathname.slice('/hear/'.length), response);
      return;
    }
    if (pathname.startsWith('/tell/')) {
      rooms.post(pathname.slice('/tell/'.length), await body(request));
      response.writeHead(204).end();
      return;
    }
    const content =
      bundles[pathname] === undefined
        ? file(pathname.slice(1), [own, PAGES])
        : readFileSync(bundles[pathname]);
    const type = types[pathname.split('.').at(-1) ?? ''] ?? 'application/octet-stream';
    const headers = type === 'text/html' ? served.headers : {};
    response.writeHead(200, { 'Content-Type': type, ...headers }).end(content);
  };
  const server = createServer((request, response) => {
    answer(request, response).catch(() => response.writeHead(404).end());
  });
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    get headers() {
      return served.headers;
    },
    set headers(headers: PageHeaders) {
      served.headers = headers;
    },
    close: () =>
      new Promise((done) => {
        server.close(() => done());
        server.closeAllConnections();
      }),
  };
}
