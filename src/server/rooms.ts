/** A room connects two clients: each client receives what the other client sends. */
import { Refusal } from './limits.js';

/** A call has two ends, and a third client must not read their messages. */
const ROOM_SIZE = 2;

/** A member of a room. */
export interface Member {
  /** Called when the number of members has changed. */
  peers(room: string, count: number): void;
  /**
   * Called when the other member has sent a message. Returns false if the message was not delivered because this member
   * does not read its connection.
   */
  signal(room: string, data: unknown): boolean;
}

export class Rooms {
  readonly #rooms = new Map<string, Set<Member>>();

  constructor(private readonly limits: { rooms: number; rooms_per_session: number }) {}

  /** Returns the number of members after joining. Throws Refusal. */
  join(room: string, member: Member): number {
    const members = this.#rooms.get(room) ?? new Set();
    if (members.has(member)) return members.size;
    this.#check(room, members, member);
    this.#rooms.set(room, members.add(member));
    this.#tell(room, members);
    return members.size;
  }

  /** Leaves every room. */
  leave(member: Member): void {
    for (const [room, members] of this.#rooms) {
      if (!members.delete(member)) continue;
      if (members.size === 0) this.#rooms.delete(room);
      else this.#tell(room, members);
    }
  }

  /** Passes `data` on to the other member. Throws Refusal. */
  signal(room: string, from: Member, data: unknown): void {
    const members = this.#rooms.get(room);
    if (members?.has(from) !== true) throw new Refusal('join the room first', 'room');
    for (const member of members)
      if (member !== from && !member.signal(room, data))
        throw new Refusal('the other page has stopped reading messages; reload it', 'data');
  }

  #check(room: string, members: ReadonlySet<Member>, member: Member): void {
    if (members.size >= ROOM_SIZE)
      throw new Refusal(
        `the room ${room} already has two pages; close one of them or choose another room`,
        'room',
      );
    const { rooms, rooms_per_session: each } = this.limits;
    if (members.size === 0 && this.#rooms.size >= rooms)
      throw new Refusal(`all ${rooms} rooms of this server are in use; close a page that uses one`, 'room');
    const joined = [...this.#rooms.values()].filter((others) => others.has(member)).length;
    if (joined >= each)
      throw new Refusal(`this page is in ${each} rooms, the maximum; reload it to leave them`, 'room');
  }

  #tell(room: string, members: ReadonlySet<Member>): void {
    for (const member of members) member.peers(room, members.size);
  }
}
