/** The signalling server of PeerJS, run in the process of the test. */
import { once } from 'node:events';
import type { Server } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';

import { PeerServer } from 'peer';

export interface SignallingServer {
  port: number;
  close(): Promise<void>;
}

/** Starts the server on a free port. */
export async function startPeerServer(): Promise<SignallingServer> {
  const server = await new Promise<Server>((resolve) => {
    PeerServer({ port: 0, host: '127.0.0.1' }, (made) => {
      if (made.listening) resolve(made);
      else made.once('listening', () => resolve(made));
    });
  });
  // A closed HTTP server leaves WebSocket connections open, because they are no longer HTTP connections. So their
  // sockets are closed here.
  const sockets = new Set<Socket>();
  server.on('upgrade', (_request, socket: Socket) => sockets.add(socket));
  return {
    port: (server.address() as AddressInfo).port,
    close: async () => {
      server.closeAllConnections();
      for (const socket of sockets) socket.destroy();
      server.close();
      await once(server, 'close');
    },
  };
}
