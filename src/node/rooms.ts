/** Rooms: who is in one hears what the others say. */

/** Somebody in a room. */
export interface Member {
  /** The number of members changed. */
  peers(room: string, count: number): void;
  /** Somebody else said something. */
  signal(room: string, data: unknown): void;
}

export class Rooms {
  readonly #rooms = new Map<string, Set<Member>>();

  /** Returns how many are in the room then. */
  join(room: string, member: Member): number {
    const members = this.#rooms.get(room) ?? new Set();
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

  /** Passes `data` on to the others. False if the member is not in that room. */
  signal(room: string, from: Member, data: unknown): boolean {
    const members = this.#rooms.get(room);
    if (members?.has(from) !== true) return false;
    for (const member of members) if (member !== from) member.signal(room, data);
    return true;
  }

  #tell(room: string, members: ReadonlySet<Member>): void {
    for (const member of members) member.peers(room, members.size);
  }
}
