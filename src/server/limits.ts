/** Limits for each client of the local server, and for all clients together. */

export interface ServerLimits {
  /** TCP connections, of any kind. */
  connections: number;
  /** WebSocket connections of pages (sessions). */
  sessions: number;
  /** WebSocket connections to the server's channel (`ServerOptions.channel`), all together. */
  channels: number;
  /** Links of one session, including links that are still being opened. */
  links_per_session: number;
  links: number;
  /** Rooms that one session may be in. (A room passes messages between two clients.) */
  rooms_per_session: number;
  rooms: number;
  /**
   * If more data than this is unsent because a client does not read, measurement rows for the client are omitted and
   * counted.
   */
  rows_buffer_bytes: number;
  /**
   * If more data than this is unsent, messages from the other client of a room are refused, and their sender gets an
   * error.
   */
  signals_buffer_bytes: number;
  /** If more data than this is unsent, the client's connection is closed. */
  buffer_bytes: number;
  /** The interval of pings. A client that has not answered a ping by the next one counts as gone. */
  ping_interval_ms: number;
  /** The longest wait for a client to confirm that its connection is closed. */
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
  close_timeout_ms: 1000,
};

/** A request that cannot be served; the message says what to do. */
export class Refusal extends Error {
  override readonly name = 'Refusal';
  constructor(
    message: string,
    readonly field: string,
  ) {
    super(message);
  }
}

/** A limited number of seats. A seat stands for one use of a limited resource, such as a link. */
export class Seats {
  #taken = 0;

  constructor(
    readonly count: number,
    private readonly full: string,
    private readonly field: string,
  ) {}

  /** Takes a seat. The returned function frees the seat. Throws Refusal. */
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
