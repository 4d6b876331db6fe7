// Two hostile clients, in a separate process: one connects to the local server, the other sends to the ports of
// links. The rates of both are limited, and both end when their parent process ends.
import { createSocket } from 'node:dgram';
import { connect } from 'node:net';
import { randomBytes, randomInt } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';

import { WebSocket } from 'ws';

import { serveParent } from './node_sample.mjs';

const PAUSE_MS = 40;

let [serverUrl, ports, stopped] = [null, [], false];
const sent = { requests: 0, sessions: 0, datagrams: 0 };

const requests = (host) => [
  `GET // HTTP/1.1\r\nHost: ${host}\r\n\r\n`,
  `GET /// HTTP/1.1\r\nHost: ${host}\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n`,
  `GET / HTTP/1.1\r\nHost: ${host}\r\nRange: bytes=0-18446744073709551615\r\n\r\n`,
  `GET /index.html HTTP/1.1\r\nHost: ${host}\r\nRange: bytes=100-50\r\n\r\n`,
  `GET /%00%ff/..%2f..%2fetc HTTP/1.1\r\nHost: 127.evil.com\r\n\r\n`,
  `GET /ws HTTP/1.1\r\nHost: ${host}\r\nOrigin: http://evil.example\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n`,
];

/** Opens one connection that sends garbage, and then ends or is reset. */
async function request() {
  const { hostname, port, host } = new URL(serverUrl);
  const known = requests(host);
  const bytes = randomInt(4) === 0 ? randomBytes(randomInt(1, 2000)) : known[randomInt(known.length)];
  const socket = connect(Number(port), hostname);
  socket.on('error', () => undefined);
  socket.write(bytes);
  sent.requests += 1;
  await sleep(randomInt(PAUSE_MS));
  if (randomInt(2) === 0) socket.resetAndDestroy();
  else socket.destroy();
}

/**
 * A session that tries to use up links, rooms and memory. (It tries to use up memory by not reading the answers.)
 */
async function session() {
  const socket = new WebSocket(`${serverUrl.replace('http', 'ws')}ws`);
  socket.on('error', () => undefined);
  sent.sessions += 1;
  await Promise.race([new Promise((open) => socket.once('open', open)), sleep(1000)]);
  if (socket.readyState !== WebSocket.OPEN) return socket.terminate();
  for (let id = 1; id <= 20; id++) {
    socket.send(JSON.stringify({ id, type: 'link/open', config: { capacity: '10mbps' } }));
    socket.send(JSON.stringify({ id: 100 + id, type: 'room/join', room: `room-${randomInt(100)}` }));
    socket.send('['.repeat(randomInt(10_000)));
  }
  socket.pause();
  await sleep(2000);
  socket.terminate();
}

async function atDoors() {
  while (!stopped) {
    if (serverUrl !== null) await (randomInt(50) === 0 ? session() : request()).catch(() => undefined);
    await sleep(PAUSE_MS);
  }
}

/** A connectivity check from an unknown agent: a binding request with an invented username. */
function strangersCheck() {
  const name = Buffer.from(
    `${randomBytes(3).toString('hex')}xx:${randomBytes(3).toString('hex')}xx`.padEnd(20, 'y'),
  );
  const header = Buffer.alloc(24);
  header.writeUInt16BE(1, 0);
  header.writeUInt16BE(4 + name.length, 2);
  header.writeUInt32BE(0x2112a442, 4);
  randomBytes(12).copy(header, 8);
  header.writeUInt16BE(6, 20);
  header.writeUInt16BE(name.length, 22);
  return Buffer.concat([header, name]);
}

async function atLinks() {
  const socket = createSocket('udp4');
  socket.on('error', () => undefined);
  while (!stopped) {
    for (const port of ports) {
      const packet = randomInt(2) === 0 ? strangersCheck() : randomBytes(randomInt(1, 1200));
      socket.send(packet, port, '127.0.0.1');
      sent.datagrams += 1;
    }
    await sleep(PAUSE_MS);
  }
  socket.close();
}

const atWork = Promise.all([atDoors(), atLinks()]);

serveParent({
  aim: (url, at) => ([serverUrl, ports] = [url, at]),
  state: () => sent,
  close: async () => {
    stopped = true;
    await atWork;
  },
});
