/**
 * The HTTP part of the local server. It sends the files of the app and of the documentation, and users'
 * controllers.
 */
import { STATUS_CODES, type IncomingMessage, type ServerResponse } from 'node:http';

import send from 'send';

import { DOCS_METRIC, OWN_FOLDER, SERVER_METRIC } from '../link/server_protocol.js';
import { SERVED_APP_POLICY, SERVED_DOCS_POLICY, SERVED_FILE_POLICY } from '../html/content_policy.js';
import { targetOf } from './names.js';

/** A user's controller as pages load it: a JavaScript or WebAssembly module. */
export interface ServedController {
  name: string;
  kind: 'js' | 'wasm';
  bytes: Uint8Array;
}

export interface Files {
  appDir: string;
  docsDir: string | null;
  controllers: readonly ServedController[];
  /** The address on which the server listens. */
  host: string;
}

const HEADERS = {
  'x-content-type-options': 'nosniff',
  'cross-origin-resource-policy': 'same-origin',
  'referrer-policy': 'no-referrer',
};

/** Answers a request. Never throws: every request is answered, or its connection is closed. */
export function answer(request: IncomingMessage, response: ServerResponse, files: Files): void {
  for (const [name, value] of Object.entries(HEADERS)) response.setHeader(name, value);
  response.setHeader('content-security-policy', SERVED_FILE_POLICY);
  const target = targetOf(request, files.host);
  if ('status' in target) return refuse(response, target.status, target.message);
  if (request.method !== 'GET' && request.method !== 'HEAD') {
    response.setHeader('allow', 'GET, HEAD');
    return refuse(response, 405, 'expected GET or HEAD');
  }
  if (!mayRead(request))
    return refuse(response, 403, 'pages of other sites may not load this; open it in a tab of its own');
  const own = files.controllers.find(
    ({ name }) => target.path === `/${OWN_FOLDER}${encodeURIComponent(name)}`,
  );
  if (own) sendController(own, request, response);
  else if (files.docsDir !== null && target.path === '/docs') redirect(response, DOCS);
  else if (files.docsDir !== null && target.path.startsWith(DOCS))
    sendFile(target.path.slice(DOCS.length - 1), request, response, files.docsDir, SERVED_DOCS_POLICY);
  else {
    const metrics = files.docsDir === null ? [SERVER_METRIC] : [SERVER_METRIC, DOCS_METRIC];
    response.setHeader('server-timing', metrics.join(', '));
    sendFile(target.path, request, response, files.appDir, SERVED_APP_POLICY);
  }
}

/**
 * Whether the site that made the request may read the response. Browsers say in `Sec-Fetch-Site` whether the
 * request came from another site (W3C Fetch Metadata). Another site may only link to this server. It may
 * neither load the server's scripts and controllers nor embed its pages.
 */
function mayRead({ headers }: IncomingMessage): boolean {
  const { 'sec-fetch-site': site, 'sec-fetch-mode': mode, 'sec-fetch-dest': destination } = headers;
  if (site === undefined || site === 'same-origin' || site === 'none') return true;
  return mode === 'navigate' && destination === 'document';
}

function refuse(response: ServerResponse, status: number, message: string): void {
  // `send` sets the file's headers before it reports some errors, such as an unsatisfiable Range. But these
  // headers do not apply to this response.
  for (const name of ['etag', 'last-modified']) response.removeHeader(name);
  const body = `${message}\n`;
  response.writeHead(status, {
    'content-type': 'text/plain; charset=utf-8',
    'content-length': Buffer.byteLength(body),
  });
  response.end(body);
}

function sendController(
  { kind, bytes }: ServedController,
  { method }: IncomingMessage,
  response: ServerResponse,
): void {
  response.writeHead(200, {
    'content-type': kind === 'wasm' ? 'application/wasm' : 'text/javascript',
    'content-length': bytes.byteLength,
    'cache-control': 'no-store',
  });
  response.end(method === 'HEAD' ? undefined : bytes);
}

const DOCS = '/docs/';

function redirect(response: ServerResponse, location: string): void {
  response.writeHead(301, { location, 'content-length': 0 });
  response.end();
}

/** Matches a path that is not in normal form: with empty or dot segments, an encoded slash, or a backslash. */
const OTHER_SPELLING = /\/\/|\\|%2f|%5c|\/(?:\.|%2e){1,2}(?:\/|$)/i;

/**
 * The folder of files whose names contain a hash of their contents. Browsers may cache these files forever. So an
 * open page can load its workers' scripts even after the server has ended.
 */
const ASSETS = '/assets/';
const FOR_EVER = 'public,max-age=31536000,immutable';

/**
 * Sends a file. Refuses a malformed path, a path that leaves the folder or names no file, and a Range that
 * the file cannot satisfy.
 */
function sendFile(
  path: string,
  request: IncomingMessage,
  response: ServerResponse,
  root: string,
  policy: string,
): void {
  const notFound = (): void => refuse(response, 404, 'Not found');
  if (OTHER_SPELLING.test(path)) return notFound();
  send(request, path, { root, extensions: ['html'], cacheControl: false })
    .on('headers', (sent: ServerResponse, file: string) => {
      sent.setHeader('cache-control', path.startsWith(ASSETS) ? FOR_EVER : 'no-cache');
      if (file.endsWith('.html')) sent.setHeader('content-security-policy', policy);
    })
    .on('directory', notFound)
    .on('error', ({ status }: { status: number }) => {
      if (response.headersSent) return void response.destroy();
      if (status === 403 || status === 404) return notFound();
      refuse(response, status, STATUS_CODES[status] ?? 'Error');
      return undefined;
    })
    .pipe(response);
}
