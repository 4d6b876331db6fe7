/** Nothing can be sent to port 0: the system's `send` throws for it. So nothing that came from it may be taken. */
import { EventEmitter } from 'node:events';
import type { Socket } from 'node:dgram';

import { beforeEach, describe, expect, it, vi } from 'vitest';

import { bindingRequest } from '../../scripts/lib/ice_check.mjs';
import { Relay } from '../../src/shaper/relay/relay.js';
import type { Arrival } from '../../src/shaper/relay/ice_door.js';
import { SocketPair } from '../../src/shaper/relay/socket_pair.js';
import { startShaper } from '../../src/shaper/shaper.js';

/** A socket to which the test hands packets; `to` has the ports to which packets were sent. */
class FakeSocket extends EventEmitter {
  readonly to: number[] = [];

  send(_: Buffer, port: number): void {
    this.to.push(port);
  }

  gets(packet: Buffer | string, port: number): void {
    this.emit('message', Buffer.from(packet), { address: '127.0.0.1', port });
  }

  get asSocket(): Socket {
    return this as unknown as Socket;
  }
}

const made = vi.hoisted(() => ({ sockets: [] as unknown[] }));
vi.mock('node:dgram', () => ({
  createSocket: () => {
    const socket = new FakeSocket();
    made.sockets.push(socket);
    return socket;
  },
}));
beforeEach(() => void made.sockets.splice(0));

const options = { nowUs: () => 1e6, onFlow: () => undefined, onError: () => undefined };
const offerer = (): Buffer => bindingRequest('offr', { to: 'answ', role: 'controlling', nominate: true });
const answerer = (to = 'offr'): Buffer => bindingRequest('answ', { to, role: 'controlled' });

describe('a packet from port 0', () => {
  it('is not taken by a relay', () => {
    const socket = new FakeSocket();
    const relay = new Relay({ ...options, socket: socket.asSocket });
    const offer = vi.fn();
    relay.attach(null, { offer });
    for (const [page, ufrag] of ['offr', 'answ'].entries()) relay.local(ufrag, page);
    socket.gets(answerer(), 6);
    socket.gets(offerer(), 0);
    expect(offer).not.toHaveBeenCalled();
    socket.gets(offerer(), 65_535);
    expect(offer).toHaveBeenCalledOnce();
  });

  it.each(['ice', 'first-datagram'] as const)('is not taken by a pair of sockets: %s', (peers) => {
    const [a, b] = [new FakeSocket(), new FakeSocket()];
    const setup = { ...options, address: '127.0.0.1', ports: [1, 2] as const, peers };
    const pair = new SocketPair(setup, a.asSocket, b.asSocket);
    const offer = vi.fn();
    pair.attach(null, { offer });
    b.gets(answerer(), 6);
    offer.mockClear();
    a.gets(offerer(), 0);
    expect(offer).not.toHaveBeenCalled();
    a.gets(offerer(), 1);
    expect(offer).toHaveBeenCalledOnce();
  });

  it('is not taken from a far side, which is not sought there either', () => {
    const socket = new FakeSocket();
    const relay = new Relay({ ...options, socket: socket.asSocket });
    const offered: Arrival[] = [];
    relay.attach(null, { offer: (_, arrival) => void offered.push(arrival) });
    relay.local('offr', 0);
    const candidates = [0, -1, 1.5, 65_536, NaN, 7].map((port) => ({ address: '127.0.0.1', port }));
    relay.remote({ ufrag: 'answ', candidates });
    socket.gets(offerer(), 5);
    for (const arrival of offered.splice(0)) relay.deliver(arrival);
    const [upstream] = made.sockets as FakeSocket[];
    expect(upstream?.to).toEqual([7]);
    upstream?.gets(answerer(), 0);
    expect(offered).toEqual([]);
    upstream?.gets(answerer(), 8);
    expect(offered).toHaveLength(1);
  });
});

it('a peer is not named with port 0', async () => {
  const peers = { a: { address: '127.0.0.1', port: 0 }, b: { address: '127.0.0.1', port: 1 } };
  await expect(startShaper({ peers })).rejects.toThrow(/^peers: expected ports from 1 to 65535/);
});
