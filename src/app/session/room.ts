/**
 * The messages between two pages in one room (a named channel for two clients) of the local server: which page sends,
 * over which link, and the call's signalling.
 */
import type { RelayAddress, Signalling } from '../../rtc/index.js';
import type { ServerClient } from './server_client.js';

/** The message with which the sending page begins a call. */
export interface Invitation {
  /** Identifies the sending page's call: a random number that its `Room` generates. */
  call: number;
  /** The zero of the call's times on the sending page's clock, in milliseconds since the Unix epoch. */
  originEpochMs: number;
  /** The sending page's clock when it sent this message. The pages may be on machines whose clocks disagree. */
  nowMs: number;
  relay: { a: RelayAddress; b: RelayAddress } | null;
}

type RoomMessage =
  | { kind: 'here' }
  | ({ kind: 'invitation' } & Invitation)
  | { kind: 'ready' }
  | { kind: 'call'; data: unknown };

function isRoomMessage(data: unknown): data is RoomMessage {
  return typeof data === 'object' && data !== null && 'kind' in data;
}

/** This page's end of a room that contains one other page. */
export class Room {
  readonly #call = Math.random();
  /** Called when the other page has restarted its side of the call. Our side then no longer has a peer. */
  onAgain: () => void = () => undefined;
  /** Called when the other page has begun another call, which our side's recording cannot continue. */
  onOther: () => void = () => undefined;
  /** Called when the other page has the same role as this one. */
  onSame: () => void = () => undefined;
  #listener: ((data: unknown) => void) | null = null;
  #early: unknown[] = [];
  #onMessage: (message: RoomMessage) => unknown = () => undefined;

  private constructor(
    private readonly server: ServerClient,
    private readonly name: string,
  ) {}

  static async join(server: ServerClient, name: string): Promise<Room> {
    const room = new Room(server, name);
    server.onSignal(name, (data) => room.#receive(data));
    await server.joinRoom(name);
    return room;
  }

  /** For the sending page: waits until the other page is in the room and has accepted the invitation. */
  invite(invitation: Omit<Invitation, 'call' | 'nowMs'>): Promise<void> {
    const tell = (): void =>
      this.#send({ kind: 'invitation', call: this.#call, nowMs: Date.now(), ...invitation });
    return new Promise((resolve) => {
      this.#onMessage = ({ kind }) => {
        if (kind === 'here') tell();
        if (kind === 'invitation') this.onSame();
        if (kind !== 'ready') return;
        this.#onMessage = (message) => message.kind === 'here' && this.onAgain();
        resolve();
      };
      tell();
    });
  }

  /**
   * For the receiving page: waits for the invitation. A call that continues a recording must keep the recording's
   * clock. It passes `originEpochMs`, and only an invitation with that origin is accepted.
   */
  invitation(originEpochMs?: number): Promise<Invitation> {
    return new Promise((resolve) => {
      this.#onMessage = (message) => {
        if (message.kind === 'here') this.onSame();
        if (message.kind !== 'invitation') return;
        if (originEpochMs !== undefined && message.originEpochMs !== originEpochMs) {
          this.onOther();
          return;
        }
        this.#onMessage = (again) => {
          if (again.kind !== 'invitation' || again.call === message.call) return;
          if (again.originEpochMs === message.originEpochMs) this.onAgain();
          else this.onOther();
        };
        resolve(message);
      };
      this.#send({ kind: 'here' });
    });
  }

  /** For the receiving page: tells the sending page that the receiving side of the call is ready. */
  ready(): void {
    this.#send({ kind: 'ready' });
  }

  /** The signalling between the two sides of the call through this room. */
  get signalling(): Signalling {
    return {
      send: (data) => this.#send({ kind: 'call', data }),
      onmessage: (listener) => {
        this.#listener = listener;
        this.#early.splice(0).forEach(listener);
      },
    };
  }

  #send(message: RoomMessage): void {
    this.server.signal(this.name, message);
  }

  #receive(data: unknown): void {
    if (!isRoomMessage(data)) return;
    if (data.kind !== 'call') this.#onMessage(data);
    else if (this.#listener) this.#listener(data.data);
    else this.#early.push(data.data);
  }
}
