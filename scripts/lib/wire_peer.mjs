// One end of a measurement on the wire, in a separate thread. The sender sends numbered packets over its sockets
// in turn; the receiver notes when packets arrive. Both read the system's clock themselves.
import { createSocket } from 'node:dgram';
import { hrtime } from 'node:process';
import { parentPort, workerData } from 'node:worker_threads';

import { bindingRequest, bindingSuccess } from './ice_check.mjs';

const nowUs = () => Number(hrtime.bigint()) / 1e3;
const { port, role, names, flow } = workerData;
const [mine, other] = role === 'sender' ? names : [...names].reverse();
const { connections } = flow;
/** The thread wakes this long before the next packet is due, and then busy-waits. */
const AWAKE_US = 120;
/** The thread returns to the event loop about this often, because only the event loop completes sends. */
const TURN_US = 5000;
/** Longer than a round trip of the measured links, so that a check is not repeated while its answer is on the way. */
const CHECK_INTERVAL_MS = 250;
const cell = new Int32Array(new SharedArrayBuffer(4));

/** One socket for each connection. The names of a connection's two agents end in the number of the connection. */
const sockets = Array.from({ length: connections }, () => {
  const socket = createSocket({ type: 'udp4', lookup: (host, _options, done) => done(null, host, 4) });
  socket.on('error', (error) => {
    throw error;
  });
  return socket.bind(0, '127.0.0.1', () => socket.setRecvBufferSize(1 << 20));
});

/** A generator of numbers from 0 to 1 (mulberry32). */
function generator(seed) {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32;
  };
}

const check = (number) =>
  sockets[number].send(
    bindingRequest(`${mine}.${number}`, {
      to: `${other}.${number}`,
      role: role === 'sender' ? 'controlling' : 'controlled',
      nominate: role === 'sender',
    }),
    port,
    '127.0.0.1',
  );
const unanswered = new Set(sockets.keys());
const checkAll = () => unanswered.forEach(check);
// Checks are repeated until all are answered. Further checks would only take up capacity of the link.
const checking = setInterval(checkAll, CHECK_INTERVAL_MS);
// Each end answers the checks of the other, as ICE agents do. The relay recognises the agents by these checks.
for (const [number, socket] of sockets.entries())
  socket.on('message', (packet, from) => {
    const type = packet.readUInt16BE(0);
    if (type === 0x0001) socket.send(bindingSuccess(packet, `${mine}.${number}`), from.port, from.address);
    if (type !== 0x0101 || !unanswered.delete(number) || unanswered.size > 0) return;
    clearInterval(checking);
    parentPort.postMessage('answered');
  });

function send() {
  const { packets, sizeBytes, intervalUs, pattern, seed, headerBytes } = flow;
  const random = generator(seed);
  const sentUs = new Float64Array(packets);
  let next = 0;
  let dueUs = nowUs() + 10e3;
  const turn = () => {
    const untilUs = nowUs() + TURN_US;
    while (next < packets) {
      const waitUs = dueUs - nowUs();
      if (waitUs > AWAKE_US) {
        if (dueUs > untilUs) {
          if (waitUs > TURN_US) return setTimeout(turn, (waitUs - TURN_US / 2) / 1000);
          return setImmediate(turn);
        }
        Atomics.wait(cell, 0, 0, (waitUs - AWAKE_US) / 1000);
        continue;
      }
      if (waitUs > 0) continue;
      // Each packet has its own buffer: a socket may still be sending the previous packet.
      const packet = Buffer.alloc(sizeBytes - headerBytes, 0xff);
      packet.writeUInt32BE(next, 4);
      sentUs[next] = nowUs();
      sockets[next % connections].send(packet, port, '127.0.0.1');
      next++;
      dueUs += pattern === 'poisson' ? -Math.log(1 - random()) * intervalUs : intervalUs;
      if (nowUs() > untilUs) return setImmediate(turn);
    }
    parentPort.postMessage({ sentUs });
  };
  turn();
}

function receive() {
  const sequence = [];
  const receivedUs = [];
  const hear = (packet) => {
    const timeUs = nowUs();
    // Connectivity checks do not begin with this byte.
    if (packet[0] !== 0xff) return;
    sequence.push(packet.readUInt32BE(4));
    receivedUs.push(timeUs);
  };
  for (const socket of sockets) socket.on('message', hear);
  parentPort.on('message', (message) => {
    if (message === 'report')
      parentPort.postMessage({
        sequence: Uint32Array.from(sequence),
        receivedUs: Float64Array.from(receivedUs),
      });
    if (message === 'count') parentPort.postMessage({ count: sequence.length });
  });
}

parentPort.on('message', (message) => {
  if (message !== 'begin') return;
  if (role === 'sender') send();
});
if (role === 'receiver') receive();
checkAll();
