/**
 * Fuzzes the local server over a WebSocket. An input is either the raw bytes after the handshake, or the payload of
 * a valid text message.
 */
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';

import type { FuzzTarget } from '../target.js';
import { Batches, inParallel } from './batches.js';

const BATCH = 2048;
const CONNECTIONS = 48;
/**
 * The number of text messages that share a connection. Messages can open links and rooms (where pages meet for a
 * call). The end of the connection closes these links and rooms.
 */
const TEXTS_EACH = 64;
const PATIENCE_MS = 100;
const MASK = Buffer.from([0x12, 0x34, 0x56, 0x78]);
const OPCODE = { text: 1, close: 8, ping: 9 } as const;

const HANDSHAKE =
  'GET /ws HTTP/1.1\r\nHost: localhost\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n' +
  'Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n';

/** A client's masked frame (RFC 6455, section 5.2) with a whole message in it. */
export function frame(opcode: number, payload: Uint8Array): Buffer {
  const { length } = payload;
  const head =
    length < 126 ? Buffer.from([0x80 | opcode, 0x80 | length]) : Buffer.alloc(length < 65536 ? 4 : 10);
  if (length >= 126) {
    head[0] = 0x80 | opcode;
    head[1] = length < 65536 ? 0xfe : 0xff;
    if (length < 65536) head.writeUInt16BE(length, 2);
    else head.writeBigUInt64BE(BigInt(length), 2);
  }
  return Buffer.concat([head, MASK, payload.map((byte, i) => byte ^ (MASK[i % 4] ?? 0))]);
}

/** Sends the handshake and `bytes` in one write, and waits until the connection has ended. */
async function send(port: number, bytes: Uint8Array, reset: boolean): Promise<void> {
  const socket: Socket = connect({ port, host: '127.0.0.1', noDelay: true });
  socket.on('error', () => socket.destroy());
  const closed = once(socket, 'close');
  const timer = setTimeout(() => socket.destroy(), PATIENCE_MS);
  socket.resume();
  socket.write(Buffer.concat([Buffer.from(HANDSHAKE), bytes]), () => {
    if (reset) socket.resetAndDestroy();
  });
  // The text messages are followed by a WebSocket close frame. If the server reads the close frame as part of
  // a longer frame, ending the socket still ends the connection.
  if (!reset) socket.end();
  await closed;
  clearTimeout(timer);
}

const isRaw = (input: Uint8Array): boolean => ((input[0] ?? 0) & 0x80) !== 0;

/** Each raw input gets its own connection. Up to TEXTS_EACH text messages share a connection. */
async function sendAll(port: number, inputs: readonly Uint8Array[]): Promise<void> {
  const close = frame(OPCODE.close, Buffer.alloc(0));
  const raw = inputs.filter(isRaw).map((bytes) => ({ bytes, reset: (bytes.at(-1) ?? 0) % 8 === 0 }));
  const frames = inputs.filter((input) => !isRaw(input)).map((text) => frame(OPCODE.text, text));
  const shared: typeof raw = [];
  for (let i = 0; i < frames.length; i += TEXTS_EACH)
    shared.push({ bytes: Buffer.concat([...frames.slice(i, i + TEXTS_EACH), close]), reset: false });
  await inParallel([...shared, ...raw], CONNECTIONS, ({ bytes, reset }) => send(port, bytes, reset));
}

const batches = new Batches(sendAll, BATCH);

const MESSAGES = [
  '{"id":1,"type":"link/open","config":{"capacity":"1mbps","rtt_ms":50}}',
  '{"id":2,"type":"link/set","link":"link-1","config":{"capacity":"2mbps","loss":0.1}}',
  '{"id":3,"type":"link/close","link":"link-1"}',
  '{"id":4,"type":"room/join","room":"r"}',
  '{"type":"room/signal","room":"r","data":{"sdp":"v=0"}}',
];
const texts = (...messages: string[]): Buffer =>
  Buffer.concat(messages.map((text) => frame(OPCODE.text, Buffer.from(text))));

/**
 * An input whose first byte has its highest bit set (the FIN bit of a frame) is sent as the raw bytes after the
 * handshake. Any other input is sent as a text message. The oracle is the same as for the HTTP target (./http.ts).
 */
export const target: FuzzTarget = {
  name: 'door: WebSocket',
  seeds: [
    ...MESSAGES,
    texts(...MESSAGES),
    frame(OPCODE.ping, Buffer.from('ping')),
    frame(OPCODE.close, Buffer.from([0x03, 0xe8])),
    Buffer.concat([texts(MESSAGES[3] ?? ''), frame(OPCODE.text, Buffer.alloc(200, '['))]),
  ],
  words: [
    '"id":',
    '"type":"link/open"',
    '"type":"link/set"',
    '"type":"link/close"',
    '"type":"room/join"',
    '"type":"room/signal"',
    '"config":',
    '"link":"link-1"',
    '"room":"r"',
    '"data":',
    '"schedule":',
    '"queue":"codel"',
    '"capacity":"1mbps"',
    '"__proto__":{}',
    '1e999',
    '-1',
    'null',
    '[[',
    '{}',
    '\\ud800',
    '\u0000',
  ],
  run: (input) => batches.add(input),
  close: () => batches.close(),
};

export default target;
