/** Fuzzes the local server over HTTP. An input consists of the bytes that a new connection sends. */
import { connect } from 'node:net';

import type { FuzzTarget } from '../target.js';
import { Batches, inParallel } from './batches.js';

const BATCH = 1024;
const CONNECTIONS = 192;
/**
 * After this time, a connection that still waits for data from the server is destroyed. If a connection ends
 * directly after its input, the limit is ten times as long.
 */
const PATIENCE_MS = 20;

const UPGRADE =
  'Connection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n';
const request = (line: string, headers = ''): string =>
  `${line} HTTP/1.1\r\nHost: localhost\r\n${headers}\r\n`;

let connections = 0;
/**
 * A new loopback address for each connection: on a single address, ended connections would soon occupy all
 * ports.
 */
function sourceAddress(): string {
  connections += 1;
  return `127.1.${(connections >> 8) % 250}.${1 + (connections % 250)}`;
}

/**
 * Sends an input over one connection. The last byte of the input decides how the connection ends: with a
 * half-close or a reset, and either at once or after the first data from the server.
 */
function send(port: number, input: Uint8Array): Promise<void> {
  const ending = (input.at(-1) ?? 0) % 4;
  return new Promise((resolve) => {
    const socket = connect({ port, host: '127.0.0.1', localAddress: sourceAddress(), noDelay: true });
    socket.once('close', () => {
      clearTimeout(timer);
      resolve();
    });
    socket.on('error', () => socket.destroy());
    // If the server keeps a half-closed connection open, the timer below destroys it.
    const finish = (): void => {
      if (ending % 2 === 0) socket.resetAndDestroy();
      else socket.end();
    };
    const timer = setTimeout(() => socket.destroy(), ending < 2 ? 10 * PATIENCE_MS : PATIENCE_MS);
    socket.once('data', () => {
      socket.resume();
      finish();
    });
    socket.write(input, () => {
      if (ending < 2) finish();
    });
  });
}

const batches = new Batches(
  (port, inputs) => inParallel(inputs, CONNECTIONS, (input) => send(port, input)),
  BATCH,
);

/**
 * The oracle: after every batch, the process is alive. It still serves a file over HTTP, and a room (where pages meet
 * for a call) over a WebSocket.
 */
export const target: FuzzTarget = {
  name: 'door: HTTP',
  seeds: [
    request('GET /'),
    request('HEAD /index.html'),
    request('GET //'),
    request('GET /data.bin', 'Range: bytes=100-200\r\n'),
    request('GET /data.bin', 'Range: bytes=0-18446744073709551615\r\nIf-Range: "x"\r\n'),
    request('GET /own/mine.mjs', 'Sec-Fetch-Site: cross-site\r\nSec-Fetch-Mode: no-cors\r\n'),
    request('GET http://localhost/%2e%2e/index.html?a=%00#b'),
    request('GET /', 'If-None-Match: *\r\nIf-Modified-Since: Thu, 01 Jan 1970 00:00:00 GMT\r\n'),
    request('POST /', 'Content-Length: 3\r\n') + 'abc',
    request('POST /', 'Transfer-Encoding: chunked\r\n') + '3\r\nabc\r\n0\r\n\r\n',
    request('GET /ws', UPGRADE),
    request('GET /ws', `${UPGRADE}Origin: http://localhost\r\n`) + '\x81\x80\x00\x00\x00\x00',
    request('GET //', `${UPGRADE}Origin: null\r\n`),
    request('GET /') + request('GET /data.bin', 'Range: bytes=-5\r\n') + request('GET /none'),
  ],
  words: [
    'GET ',
    'HEAD ',
    'CONNECT ',
    'OPTIONS * ',
    ' HTTP/1.1\r\n',
    ' HTTP/1.0\r\n',
    '\r\n\r\n',
    '//',
    '/../',
    '%2e%2e',
    '%00',
    '%',
    'http://',
    'Host: 127.evil.com\r\n',
    'Host: [::1]:1\r\n',
    'Range: bytes=',
    '100-50',
    '-1',
    '18446744073709551615',
    '9007199254740992',
    'Connection: Upgrade\r\n',
    'Connection: keep-alive\r\n',
    'Upgrade: websocket\r\n',
    'Upgrade: h2c\r\n',
    'Expect: 100-continue\r\n',
    'Content-Length: ',
    'Transfer-Encoding: chunked\r\n',
    'Sec-WebSocket-Version: 13\r\n',
    'Sec-WebSocket-Extensions: permessage-deflate\r\n',
    'Sec-WebSocket-Protocol: ,\r\n',
    'Origin: ',
    'If-Range: ',
    '/ws',
    '/own/mine.mjs',
    '/data.bin',
    '/index',
    '\\',
    '[',
    '@',
  ],
  run: (input) => batches.add(input),
  close: () => batches.close(),
};

export default target;
