import { expect, it } from 'vitest';

import { Room } from '../../../src/app/session/room.js';

type Listener = (data: unknown) => void;

/** A server with one room, in which a page that joins again replaces itself. */
class FakeServer {
  readonly #listeners = new Map<string, Listener>();

  join(page: 'sender' | 'receiver'): Promise<Room> {
    const client = {
      onSignal: (_: string, listener: Listener) => this.#listeners.set(page, listener),
      joinRoom: () => Promise.resolve(),
      signal: (_: string, data: unknown) =>
        this.#listeners.get(page === 'sender' ? 'receiver' : 'sender')?.(data),
    };
    return Room.join(client as never, 'room');
  }
}

/** The receiving page of a call, which has listed what the room has told it. */
async function receiving(server: FakeServer): Promise<{ room: Room; told: string[] }> {
  const room = await server.join('receiver');
  const told: string[] = [];
  room.onOther = () => told.push('other');
  room.onAgain = () => told.push('again');
  room.onSame = () => told.push('same');
  return { room, told };
}

it.each([
  ['another call, which cannot continue the recording', 2, 'other'],
  ['the same call again', 1, 'again'],
])('tells the receiving page that the sending page has begun %s', async (_, originEpochMs, what) => {
  const server = new FakeServer();
  const { room, told } = await receiving(server);
  const invited = room.invitation();
  void (await server.join('sender')).invite({ originEpochMs: 1, relay: null });
  expect((await invited).originEpochMs).toBe(1);
  expect(told).toEqual([]);
  void (await server.join('sender')).invite({ originEpochMs, relay: null });
  expect(told).toEqual([what]);
});

it('tells a receiving page that restarts that the other page has begun another call', async () => {
  const server = new FakeServer();
  const { room, told } = await receiving(server);
  void room.invitation(1);
  void (await server.join('sender')).invite({ originEpochMs: 2, relay: null });
  expect(told).toEqual(['other']);
});

it('tells two pages that both send, or both receive, that they have the same role', async () => {
  const server = new FakeServer();
  const { room, told } = await receiving(server);
  // The other page takes the place of a sender, but waits for an invitation, too.
  const other = await server.join('sender');
  const otherTold: string[] = [];
  other.onSame = () => otherTold.push('same');
  void room.invitation();
  void other.invitation();
  expect([told, otherTold]).toEqual([['same'], []]);
  void room.invite({ originEpochMs: 1, relay: null });
  void other.invite({ originEpochMs: 2, relay: null });
  expect(told).toEqual(['same', 'same']);
});
