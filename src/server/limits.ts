/** How much of the local server a client may use, and how much all clients together may use. */

export interface ServerLimits {
  /** TCP connections, of any kind. */
  connections: number;
  /** WebSocket connections. */
  sessions: number;
  /** WebSocket connections of a channel (ServerOptions). */
  channels: number;
  /** Links of one session, including those that are being opened. */
  links_per_session: number;
  links: number;
  /** Rooms that one session is in. */
  rooms_per_session: number;
  rooms: number;
  /** Above this amount of unsent data, rows for a client that does not read are omitted and counted. */
  rows_buffer_bytes: number;
  /** Above this amount of unsent data, signals for the client are refused, and their senders are told. */
  signals_buffer_bytes: number;
  /** Above this amount of unsent data, the client's connection is closed. */
  buffer_bytes: number;
  /** A client that answers no ping within this time counts as gone. */
  ping_interval_ms: number;
  /** How long a client has to answer the closing of its connection. */
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

/** A limited number of seats. */
export class Seats {
  #taken = 0;

  constructor(
    readonly count: number,
    private readonly full: string,
    private readonly field: string,
  ) {}

  /** Takes a seat until the returned function is called. Throws Refusal. */
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
