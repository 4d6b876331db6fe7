/** UDP sockets of the shaper. */
import { createSocket, type Socket } from 'node:dgram';

import type { RelayAddress } from '../link/server_protocol.js';
import { systemCode } from '../text/errors.js';

/** The capacity of a direction without a bottleneck: faster than JavaScript can send packets. */
export const UNLIMITED_BPS = 1e11;
const RECEIVE_BUFFER_BYTES = 1 << 20;

/** The shaper could not be started or cannot be used. The message says why and, if possible, what to do. */
export class ShaperError extends Error {
  override readonly name = 'ShaperError';
}

/** Resolves to a socket bound to an IPv4 address; port 0 selects any free port. Rejects with ShaperError. */
export function bindUdp(port: number, address: string): Promise<Socket> {
  // All peers are given as IP addresses, so `lookup` returns the address at once. Node's default lookup would delay
  // each packet.
  const socket = createSocket({ type: 'udp4', lookup: (host, _options, done) => done(null, host, 4) });
  return new Promise((resolve, reject) => {
    socket.once('error', (error) => {
      socket.close();
      reject(bindError(error, port, address));
    });
    socket.bind({ port, address, exclusive: true }, () => {
      socket.removeAllListeners('error');
      try {
        socket.setRecvBufferSize(RECEIVE_BUFFER_BYTES);
      } catch {
        // The system does not allow a buffer of this size. Its default size is large enough.
      }
      resolve(socket);
    });
  });
}

/** Whether packets can be sent to this port. For any other number, `send` of a socket throws. */
export const isPort = (port: number): boolean => Number.isInteger(port) && port >= 1 && port <= 65_535;

/**
 * Calls `receive` for each packet that can be answered. A packet with source port 0, which anybody may forge, is
 * ignored.
 */
export function onPacket(socket: Socket, receive: (packet: Buffer, from: RelayAddress) => void): void {
  socket.on('message', (packet, from) => isPort(from.port) && receive(packet, from));
}

/** Closes a socket; resolves when its port is free. */
export function closeSocket(socket: Socket): Promise<void> {
  return new Promise((done) => socket.close(() => done()));
}

function bindError(error: Error, port: number, address: string): ShaperError {
  const where = `${address}:${port}`;
  const reasons: Record<string, string> = {
    EADDRINUSE: `UDP port ${where} is in use; choose another one, or 0 for any that is free`,
    EADDRNOTAVAIL: `${address} is not an IPv4 address of this machine; use one that is, or 0.0.0.0 for all`,
    EACCES: `binding UDP port ${where} is not allowed; choose one above 1023`,
  };
  return new ShaperError(reasons[systemCode(error) ?? ''] ?? `cannot bind UDP ${where}: ${error.message}`);
}
