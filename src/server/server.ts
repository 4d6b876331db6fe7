/**
 * The local server. It serves the app's files and, at `/ws`, shaped links and rooms (see
 * src/link/server_protocol.ts). It listens on the loopback address unless `host` is given. SECURITY.md in this
 * folder describes what each client may do.
 */
import { randomUUID } from 'node:crypto';
import { existsSync } from 'node:fs';
import { createServer, STATUS_CODES, type IncomingMessage, type Server } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { fileURLToPath } from 'node:url';

import { WebSocketServer } from 'ws';

import { SERVER_PATH } from '../link/server_protocol.js';
import { systemCode } from '../text/errors.js';
import { Channels, type Channel } from './channels.js';
import { Rooms } from './rooms.js';
import { Session, type SessionContext } from './session.js';
import { answer, type ServedController } from './files.js';
import { Seats, SERVER_LIMITS, type ServerLimits } from './limits.js';
import {
  addressesForOthers,
  announcedAddress,
  bindAddress,
  isOurOrigin,
  targetOf,
  urlHost,
} from './names.js';
import type { Shaper } from '../shaper/shaper.js';

export type { Channel, ChannelSocket } from './channels.js';
export type { ServedController } from './files.js';

const MAX_MESSAGE_BYTES = 1 << 20;
const HEADERS_TIMEOUT_MS = 10_000;
const REQUEST_TIMEOUT_MS = 30_000;
/** An HTTP connection without data in either direction for this time is closed; WebSockets are exempt. */
const IDLE_TIMEOUT_MS = 60_000;

/**
 * The server could not be started. The message says why and, for common causes, what to do. `code` is the
 * system's error code, if there is one.
 */
export class ServerError extends Error {
  override readonly name = 'ServerError';
  constructor(
    message: string,
    readonly code?: string,
  ) {
    super(message);
  }
}

export interface ServerOptions {
  /** The port. Default 0: any free port. */
  port?: number;
  /** The address to listen on. Default 127.0.0.1. With another address, other machines can connect. */
  host?: string;
  /** The folder of the built app. Default: the app in the package. */
  appDir?: string;
  /** The folder of the built documentation, which is served at /docs/. Default: none. */
  docsDir?: string;
  /** The users' controllers that pages may load by name. */
  controllers?: readonly ServedController[];
  /** Limits for clients; default: SERVER_LIMITS. */
  limits?: Partial<ServerLimits>;
  /** WebSockets between the program that starts the server and the pages. Default: none. */
  channel?: Channel;
}

/** A link of the program that started the server. One page may join it (see `lend`). */
export interface Loan {
  name: string;
  /** After this call, no page can join the link. */
  end(): void;
}

export interface LocalServer {
  /** The URL of the app for a browser on this machine, with a slash at the end. */
  readonly url: string;
  /** The URLs of the app for browsers on other machines; empty if the server listens on this machine only. */
  readonly urlsForOthers: readonly string[];
  readonly port: number;
  /**
   * Lends a link to a page. One page can join the link, once, by the loan's name. The caller must end the loan
   * and close the link.
   */
  lend(shaper: Shaper): Loan;
  /** Closes every connection, and every link that a page opened. */
  close(): Promise<void>;
}

/** Starts the server. Throws ServerError. */
export async function startServer(options: ServerOptions = {}): Promise<LocalServer> {
  const {
    host = '127.0.0.1',
    port = 0,
    appDir = fileURLToPath(new URL('../../app', import.meta.url)),
    docsDir = null,
    controllers = [],
    channel = null,
  } = options;
  if (host.trim() === '') {
    throw new ServerError(
      'host: expected an address, got an empty text; give an address of this machine, or 0.0.0.0 for all',
    );
  }
  if (!existsSync(appDir)) {
    throw new ServerError(
      `the app was not found in ${appDir}; build it with \`npm run build\`, or set \`appDir\` to its folder`,
    );
  }
  const limits = { ...SERVER_LIMITS, ...options.limits };
  const http = createServer(
    { headersTimeout: HEADERS_TIMEOUT_MS, requestTimeout: REQUEST_TIMEOUT_MS },
    (request, response) => answer(request, response, { appDir, docsDir, controllers, host }),
  );
  http.timeout = IDLE_TIMEOUT_MS;
  http.maxConnections = limits.connections;
  const connections = new Set<Socket>();
  http.on('connection', (socket) => {
    connections.add(socket);
    socket.once('close', () => connections.delete(socket));
  });
  const lent = new Map<string, Shaper>();
  const context = contextOf(lent, limits);
  const sessions = new Sessions(host, context, channel === null ? null : new Channels(channel, limits));
  http.on('upgrade', (request, socket, head) => sessions.upgrade(request, socket, head));
  // Some machines resolve localhost to ::1 first, but the URL of the server has 127.0.0.1 (see `urlHost`).
  await listen(http, port, host === 'localhost' ? '127.0.0.1' : host);
  const bound = (http.address() as AddressInfo).port;
  const close = async (): Promise<void> => {
    const closed = new Promise((done) => http.close(done));
    await sessions.close();
    for (const socket of connections) socket.destroy();
    await closed;
  };
  let closing: Promise<void> | null = null;
  return {
    port: bound,
    url: `http://${urlHost(host)}:${bound}/`,
    urlsForOthers: addressesForOthers(host).map((address) => `http://${address}:${bound}/`),
    lend: (shaper) => {
      const name = `link-${randomUUID()}`;
      lent.set(name, shaper);
      return { name, end: () => void lent.delete(name) };
    },
    close: () => (closing ??= close()),
  };
}

type SharedContext = Omit<SessionContext, 'address' | 'announce'>;

function contextOf(lent: Map<string, Shaper>, limits: ServerLimits): SharedContext {
  let links = 0;
  return {
    rooms: new Rooms(limits),
    limits,
    linkSeats: new Seats(
      limits.links,
      `all ${limits.links} links of this server are in use; close a page that uses one`,
      'link',
    ),
    lent,
    nextLink: () => ++links,
  };
}

/** The WebSocket connections of a server. */
class Sessions {
  readonly #sockets = new WebSocketServer({ noServer: true, maxPayload: MAX_MESSAGE_BYTES });
  readonly #open = new Set<Session>();
  #closing = false;

  constructor(
    private readonly host: string,
    private readonly context: SharedContext,
    private readonly channels: Channels | null,
  ) {}

  upgrade(request: IncomingMessage, socket: Duplex, head: Buffer): void {
    // At the upgrade, Node removes its own error listener. The client may reset the connection at any time, so
    // this adds a new one.
    socket.on('error', () => socket.destroy());
    const { host, context, channels } = this;
    const target = targetOf(request, host);
    if ('status' in target) return refuse(socket, target.status);
    const isChannel = target.path === channels?.path;
    if (target.path !== SERVER_PATH && !isChannel) return refuse(socket, 404);
    if (!isOurOrigin(request.headers.origin, target)) return refuse(socket, 403);
    const isFull = isChannel ? channels.isFull : this.#open.size >= context.limits.sessions;
    if (this.#closing || isFull) return refuse(socket, 503);
    if (isChannel) {
      this.#sockets.handleUpgrade(request, socket, head, (webSocket) => channels.open(webSocket));
      return;
    }
    this.#sockets.handleUpgrade(request, socket, head, (webSocket) => {
      const announce = announcedAddress(host, request.socket.localAddress);
      const session = new Session(webSocket, { ...context, address: bindAddress(host), announce });
      this.#open.add(session);
      webSocket.once('close', () => this.#open.delete(session));
    });
  }

  async close(): Promise<void> {
    this.#closing = true;
    await Promise.all([...[...this.#open].map((session) => session.close()), this.channels?.close()]);
  }
}

/** Refuses an upgrade, and closes the connection even if the client does not read the answer. */
function refuse(socket: Duplex, status: number): void {
  socket.once('finish', () => socket.destroy());
  socket.end(`HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\nConnection: close\r\nContent-Length: 0\r\n\r\n`);
}

function listen(http: Server, port: number, host: string): Promise<void> {
  return new Promise((resolve, reject) => {
    const failed = (error: Error): void => {
      const code = systemCode(error);
      const reasons: Record<string, string> = {
        EADDRINUSE: `port ${port} is in use; choose another one, or 0 for any that is free`,
        EADDRNOTAVAIL: `${host} is not an address of this machine; use one that is, or 0.0.0.0 for all`,
        EACCES: `listening on port ${port} is not allowed; choose one above 1023`,
        ENOTFOUND: `${host} is not an address; use an IP address of this machine, or 0.0.0.0 for all`,
      };
      reject(
        new ServerError(
          (code && reasons[code]) ?? `cannot listen on ${host}:${port}: ${error.message}`,
          code,
        ),
      );
    };
    // The listener remains after the start. It then ignores errors of single connections that could not be
    // accepted.
    http.on('error', failed);
    http.listen(port, host, resolve);
  });
}
