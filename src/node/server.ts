/**
 * The local server: the app's files, and at `/ws` shaped links and rooms (see
 * src/scenario/server_protocol.ts). It listens on the loopback address unless told otherwise.
 */
import { existsSync } from 'node:fs';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { isIP, type AddressInfo } from 'node:net';
import { hostname, networkInterfaces } from 'node:os';
import { fileURLToPath } from 'node:url';

import sirv from 'sirv';
import { WebSocketServer } from 'ws';

import { loadCoreModule, type CoreModule } from '../core/load.js';
import { OWN_FOLDER, SERVER_PATH } from '../scenario/server_protocol.js';
import { systemCode } from './errors.js';
import { Rooms } from './rooms.js';
import { Session, type SessionContext } from './server_session.js';
import type { Shaper } from './shaper/shaper.js';

const MAX_MESSAGE_BYTES = 1 << 20;

/** The server could not be started; the message says what to do. `code` is the system's, if it has one. */
export class ServerError extends Error {
  override readonly name = 'ServerError';
  constructor(
    message: string,
    readonly code?: string,
  ) {
    super(message);
  }
}

/** A user's controller as a page loads it: a module of JavaScript or WebAssembly. */
export interface ServedController {
  name: string;
  kind: 'js' | 'wasm';
  bytes: Uint8Array;
}

export interface ServerOptions {
  /** 0 (the default) takes any that is free. */
  port?: number;
  /** Address to listen on; default 127.0.0.1. With another one, other machines can join. */
  host?: string;
  /** The built app; default: the one that ships with the package. */
  appDir?: string;
  /** Keep what became of each packet of the links, for measurements. */
  record?: boolean;
  /** Users' controllers that pages may load, by name. */
  controllers?: readonly ServedController[];
  /** Told of each link that a page opens. */
  onLink?(shaper: Shaper): void;
}

export interface LocalServer {
  /** Where a browser on this machine finds the app, with a slash at the end. */
  readonly url: string;
  readonly port: number;
  /** Closes every link and connection. */
  close(): Promise<void>;
}

/** Starts the server. Throws ServerError. */
export async function startServer(options: ServerOptions = {}): Promise<LocalServer> {
  const {
    host = '127.0.0.1',
    port = 0,
    appDir = fileURLToPath(new URL('../../app', import.meta.url)),
  } = options;
  if (!existsSync(appDir)) {
    throw new ServerError(`the app is not in ${appDir}; build it first (npm run build), or name its folder`);
  }
  const core: CoreModule = await loadCoreModule();
  const files = sirv(appDir, { dev: true, etag: true });
  const http = createServer((request, response) => {
    if (!isOurName(request.headers.host, host)) {
      response.writeHead(403).end('This server answers to its own address only.\n');
      return;
    }
    if (sendController(request, response, options.controllers ?? [])) return;
    files(request, response, () => void response.writeHead(404).end('Not found\n'));
  });
  const sockets = new WebSocketServer({ noServer: true, maxPayload: MAX_MESSAGE_BYTES });
  const rooms = new Rooms();
  const sessions = new Set<Session>();
  let links = 0;
  http.on('upgrade', (request, socket, head) => {
    if (!mayConnect(request, host)) {
      socket.end('HTTP/1.1 403 Forbidden\r\n\r\n');
      return;
    }
    sockets.handleUpgrade(request, socket, head, (webSocket) => {
      const context: SessionContext = {
        core,
        rooms,
        address: bindAddress(host),
        announce: announcedAddress(host, request.socket.localAddress),
        record: options.record ?? false,
        nextLink: () => ++links,
        onLink: options.onLink ?? (() => undefined),
      };
      const session = new Session(webSocket, context);
      sessions.add(session);
      webSocket.once('close', () => sessions.delete(session));
    });
  });
  await listen(http, port, host);
  const bound = (http.address() as AddressInfo).port;
  return {
    port: bound,
    url: `http://${urlHost(host)}:${bound}/`,
    close: async () => {
      await Promise.all([...sessions].map((session) => session.close()));
      http.closeAllConnections();
      await new Promise((done) => http.close(done));
    },
  };
}

/** Answers what asks for a user's controller; false for any other request. */
function sendController(
  { method, url = '/' }: IncomingMessage,
  response: ServerResponse,
  controllers: readonly ServedController[],
): boolean {
  const { pathname } = new URL(url, 'http://localhost');
  const own = controllers.find(({ name }) => pathname === `/${OWN_FOLDER}${encodeURIComponent(name)}`);
  if (own === undefined) return false;
  const type = own.kind === 'wasm' ? 'application/wasm' : 'text/javascript';
  response.writeHead(200, {
    'content-type': type,
    'content-length': own.bytes.byteLength,
    'cache-control': 'no-store',
  });
  response.end(method === 'HEAD' ? undefined : own.bytes);
  return true;
}

function listen(http: Server, port: number, host: string): Promise<void> {
  return new Promise((resolve, reject) => {
    http.once('error', (error) => {
      const code = systemCode(error);
      const reasons: Record<string, string> = {
        EADDRINUSE: `port ${port} is in use; choose another one, or 0 for any that is free`,
        EADDRNOTAVAIL: `${host} is not an address of this machine; use one that is, or 0.0.0.0 for all`,
        EACCES: `listening on port ${port} is not allowed; choose one above 1023`,
        ENOTFOUND: `${host} is no address; use an IP address of this machine, or 0.0.0.0 for all`,
      };
      reject(
        new ServerError(
          (code && reasons[code]) ?? `cannot listen on ${host}:${port}: ${error.message}`,
          code,
        ),
      );
    });
    http.listen(port, host, () => {
      http.removeAllListeners('error');
      resolve();
    });
  });
}

const isLoopback = (name: string): boolean => name === 'localhost' || name === '::1' || /^127\./.test(name);
const isWildcard = (host: string): boolean => host === '0.0.0.0' || host === '::';

/** The name in a Host header, without port and brackets. */
function nameOf(header: string): string {
  return header
    .replace(/:\d+$/, '')
    .replace(/^\[(.*)\]$/, '$1')
    .toLowerCase();
}

/**
 * A page of another site may have its name resolve to this machine (DNS rebinding): only names that
 * are ours are answered.
 */
function isOurName(header: string | undefined, host: string): boolean {
  if (header === undefined) return false;
  const name = nameOf(header);
  if (isLoopback(name) || name === host.toLowerCase()) return true;
  return (
    !isLoopback(host) &&
    (isIP(name) !== 0 || name === hostname().toLowerCase() || name === `${hostname()}.local`.toLowerCase())
  );
}

/** Pages of this server, and programs that are no browsers. */
function mayConnect(request: IncomingMessage, host: string): boolean {
  const { origin, host: header } = request.headers;
  const url = new URL(request.url ?? '/', 'http://localhost');
  if (url.pathname !== SERVER_PATH || !isOurName(header, host)) return false;
  return origin === undefined || (URL.canParse(origin) && new URL(origin).host === header);
}

/** Relays are IPv4: where the server listens, or everywhere. */
function bindAddress(host: string): string {
  if (isIP(host) === 4) return host;
  return isLoopback(host) ? '127.0.0.1' : '0.0.0.0';
}

/** The address at which the peers reach a relay: other machines must be able to, where they may join. */
function announcedAddress(host: string, localAddress: string | undefined): string {
  const bound = bindAddress(host);
  if (!isWildcard(bound)) return bound;
  const local = (localAddress ?? '').replace(/^::ffff:/, '');
  if (isIP(local) === 4 && !isLoopback(local)) return local;
  const addresses = Object.values(networkInterfaces()).flatMap((list) => list ?? []);
  return addresses.find(({ family, internal }) => family === 'IPv4' && !internal)?.address ?? '127.0.0.1';
}

function urlHost(host: string): string {
  if (isWildcard(host) || host === 'localhost') return '127.0.0.1';
  return isIP(host) === 6 ? `[${host}]` : host;
}
