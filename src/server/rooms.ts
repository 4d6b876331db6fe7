/** Rooms. A room connects two clients: each receives the messages of the other. */
import { Refusal } from './limits.js';

/** A call has two ends. No third client may read their messages. */
const ROOM_SIZE = 2;

/** A member of a room. */
export interface Member {
  /** Called when the number of members has changed. */
  peers(room: string, count: number): void;
  /**
   * Called with a message from the other member. Returns false if this member was too slow in reading its
   * connection, and the message was not delivered.
   */
  signal(room: string, data: unknown): boolean;
  /**
   * Resolves when the member has proved that its connection still works. Resolves after at most a few seconds if it
   * does not: the member has then left its rooms.
   */
  proveAlive(): Promise<void>;
}

export class Rooms {
  readonly #rooms = new Map<string, Set<Member>>();

  constructor(private readonly limits: { rooms: number; rooms_per_session: number }) {}

  /** Whether the room has no place for this member. */
  isFull(room: string, member: Member): boolean {
    const members = this.#rooms.get(room);
    return members !== undefined && members.size >= ROOM_SIZE && !members.has(member);
  }

  /** Removes the members whose connections no longer work, such as those of a page that has lost its network. */
  async removeLost(room: string): Promise<void> {
    await Promise.all([...(this.#rooms.get(room) ?? [])].map((member) => member.proveAlive()));
  }

  /** Adds a member to a room, and returns the new number of members. Throws Refusal. */
  join(room: string, member: Member): number {
    const members = this.#rooms.get(room) ?? new Set();
    if (members.has(member)) return members.size;
    this.#check(room, members, member);
    this.#rooms.set(room, members.add(member));
    this.#tell(room, members);
    return members.size;
  }

  /** Removes a member from all rooms. */
  leave(member: Member): void {
    for (const [room, members] of this.#rooms) {
      if (!members.delete(member)) continue;
      if (members.size === 0) this.#rooms.delete(room);
      else this.#tell(room, members);
    }
  }

  /** Sends `data` to the other member of a room. Throws Refusal. */
  signal(room: string, from: Member, data: unknown): void {
    const members = this.#rooms.get(room);
    if (members?.has(from) !== true)
      throw new Refusal(`the page is not in the room ${room}; join it first`, 'room');
    for (const member of members)
      if (member !== from && !member.signal(room, data))
        throw new Refusal('the other page has stopped reading messages; reload it', 'data');
  }

  #check(room: string, members: ReadonlySet<Member>, member: Member): void {
    if (this.isFull(room, member))
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
