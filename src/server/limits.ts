/** Limits for each client of the local server, and for all clients in total. */

export interface ServerLimits {
  /** TCP connections of any kind. */
  connections: number;
  /** WebSocket connections of pages (sessions). */
  sessions: number;
  /** WebSocket connections to the server's channel (`ServerOptions.channel`), in total. */
  channels: number;
  /** Links that one session opens, including those that are still being opened. Joined links do not count. */
  links_per_session: number;
  links: number;
  /** Rooms that one session may be in. A room passes messages between two clients. */
  rooms_per_session: number;
  rooms: number;
  /**
   * If more bytes than this are waiting to be sent to a client, measurement rows for the client are omitted and
   * counted.
   */
  rows_buffer_bytes: number;
  /**
   * If more bytes than this are waiting to be sent to a client, messages from the other client of its room are
   * refused. Their sender receives an error.
   */
  signals_buffer_bytes: number;
  /** If more bytes than this are waiting to be sent to a client, its connection is closed. */
  buffer_bytes: number;
  /**
   * The interval of pings. The connection of a client that has not answered the last ping is closed at the next
   * one.
   */
  ping_interval_ms: number;
  /**
   * How long a client may take to answer a ping when another client wants its place in a room. Browsers answer pings at
   * once, even if the page itself is busy.
   */
  alive_timeout_ms: number;
  /** How long to wait for a client to confirm that its connection is closed. */
  close_timeout_ms: number;
}

export const SERVER_LIMITS: ServerLimits = {
  connections: 256,
  sessions: 64,
  channels: 8,
  links_per_session: 8,
  links: 32,
  rooms_per_session: 4,
  rooms: 64,
  rows_buffer_bytes: 1 << 18,
  signals_buffer_bytes: 1 << 20,
  buffer_bytes: 1 << 22,
  ping_interval_ms: 30_000,
  alive_timeout_ms: 2000,
  close_timeout_ms: 1000,
};

/** A request that the server refuses. The message says why; `field` is the wrong part of the request. */
export class Refusal extends Error {
  override readonly name = 'Refusal';
  constructor(
    message: string,
    readonly field: string,
  ) {
    super(message);
  }
}

/** Counts the uses of a limited resource, such as links. Each use takes one of `count` seats. */
export class Seats {
  #taken = 0;

  constructor(
    readonly count: number,
    private readonly full: string,
    private readonly field: string,
  ) {}

  /** Takes a seat, and returns a function that frees it. Throws Refusal if all seats are taken. */
  take(): () => void {
    if (this.#taken >= this.count) throw new Refusal(this.full, this.field);
    this.#taken += 1;
    let held = true;
    return () => {
      if (held) this.#taken -= 1;
      held = false;
    };
  }
}
