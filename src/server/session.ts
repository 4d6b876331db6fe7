/**
 * One page's connection to the local server, with the links and rooms of the page. When the connection ends, the
 * links that the page opened are closed, and the page leaves its rooms.
 */
import { once } from 'node:events';

import type { WebSocket } from 'ws';

import { ConfigError } from '../text/quantities.js';
import { parseLinkConfig } from '../link/link_config.js';
import {
  SAME_CLOCK_MS,
  type CheckedClientMessage,
  type LinkOpened,
  type LinkRow,
  type RoomJoined,
  type ServerMessage,
} from '../link/server_protocol.js';
import { closeSocket } from './close_socket.js';
import type { Member, Rooms } from './rooms.js';
import { Refusal, Seats, type ServerLimits } from './limits.js';
import { readMessage } from './message.js';
import { startShaper, type Shaper } from '../shaper/shaper.js';

const LATENESS_INTERVAL_MS = 1000;

export interface SessionContext {
  rooms: Rooms;
  limits: ServerLimits;
  /** The seats for the links of all sessions. */
  linkSeats: Seats;
  /** `address`: the address that relays bind to. `announce`: the address that peers send to. */
  address: string;
  announce: string;
  /** By name: the links that were lent (see `lend`) and that no page has joined yet. */
  lent: Map<string, Shaper>;
  nextLink(): number;
}

interface OpenLink {
  shaper: Shaper;
  /** The number of rows omitted since the last rows were sent. */
  dropped: number;
  /** Ends the session's use of the link. Closes a link that the session opened, but not a link that it joined. */
  end(): Promise<void>;
}

export class Session implements Member {
  readonly #links = new Map<string, OpenLink>();
  readonly #seats: Seats;
  readonly #timers: readonly NodeJS.Timeout[];
  #answered = true;
  #proof: Promise<void> | null = null;
  #closed: Promise<void> | null = null;

  constructor(
    private readonly socket: WebSocket,
    private readonly context: SessionContext,
  ) {
    const { links_per_session: links, ping_interval_ms: pingMs } = context.limits;
    this.#seats = new Seats(links, `a page has at most ${links} links; close one first`, 'link');
    socket.on('message', (data: Buffer) => void this.#receive(data.toString()));
    socket.once('close', () => void this.close());
    socket.on('error', () => socket.terminate());
    socket.on('pong', () => (this.#answered = true));
    this.#timers = [
      setInterval(() => this.#reportLateness(), LATENESS_INTERVAL_MS),
      setInterval(() => this.#ping(), pingMs),
    ];
  }

  peers(room: string, peers: number): void {
    this.#send({ type: 'room/peer', room, peers });
  }

  signal(room: string, data: unknown): boolean {
    if (this.socket.bufferedAmount > this.context.limits.signals_buffer_bytes) return false;
    this.#send({ type: 'room/signal', room, data });
    return true;
  }

  proveAlive(): Promise<void> {
    return (this.#proof ??= this.#proveAlive().finally(() => (this.#proof = null)));
  }

  /** Closes the connection and ends the use of its links, even if the client does not respond. */
  close(): Promise<void> {
    return (this.#closed ??= this.#close());
  }

  async #close(): Promise<void> {
    this.#timers.forEach((timer) => clearInterval(timer));
    this.context.rooms.leave(this);
    const links = [...this.#links.values()];
    this.#links.clear();
    const closed = closeSocket(this.socket, this.context.limits.close_timeout_ms);
    // `allSettled` waits for all links even if one of them cannot be closed.
    await Promise.allSettled([closed, ...links.map(({ end }) => end())]);
  }

  async #proveAlive(): Promise<void> {
    const signal = AbortSignal.timeout(this.context.limits.alive_timeout_ms);
    const answered = once(this.socket, 'pong', { signal });
    this.socket.ping();
    try {
      await answered;
    } catch {
      this.socket.terminate();
      // Leaves the rooms at once, before the socket has reported its end.
      void this.close();
    }
  }

  #send(message: ServerMessage): void {
    const { socket } = this;
    if (socket.readyState !== socket.OPEN) return;
    if (socket.bufferedAmount > this.context.limits.buffer_bytes) socket.terminate();
    else socket.send(JSON.stringify(message));
  }

  #ping(): void {
    if (!this.#answered) this.socket.terminate();
    else if (this.socket.readyState === this.socket.OPEN) this.socket.ping();
    this.#answered = false;
  }

  async #receive(text: string): Promise<void> {
    if (this.#closed) return;
    const received = readMessage(text);
    const { id } = received;
    try {
      if ('refusal' in received) throw received.refusal;
      const { message } = received;
      if (message.type === 'room/signal') this.context.rooms.signal(message.room, this, message.data);
      else this.#send({ id, ok: true, result: await this.#serve(message) });
    } catch (error) {
      this.#send({ id, ok: false, error: describe(error) });
    }
  }

  async #serve(
    request: Exclude<CheckedClientMessage, { type: 'room/signal' }>,
  ): Promise<LinkOpened | RoomJoined | null> {
    switch (request.type) {
      case 'link/open':
        return this.#open(request.config, request.now_ms);
      case 'link/join':
        return this.#join(request.link);
      case 'link/set':
        await this.#link(request.link).shaper.set(parseLinkConfig(request.config, 'config'));
        return null;
      case 'link/peers':
        this.#link(request.link).shaper.expect({ a: request.a, b: request.b });
        return null;
      case 'link/close': {
        const link = this.#link(request.link);
        this.#links.delete(request.link);
        await link.end();
        return null;
      }
      case 'room/join':
        return this.#joinRoom(request.room);
    }
  }

  async #open(settings: Record<string, unknown>, pageNowMs = Date.now()): Promise<LinkOpened> {
    const config = parseLinkConfig(settings, 'config');
    const differenceMs = pageNowMs - Date.now();
    /** How far the page's clock is ahead of the server's. */
    const aheadMs = Math.abs(differenceMs) > SAME_CLOCK_MS ? differenceMs : 0;
    if (config.origin_epoch_ms !== undefined) config.origin_epoch_ms -= aheadMs;
    const leave = this.#takeSeats();
    const linkNumber = this.context.nextLink();
    const name = `link-${linkNumber}`;
    const { address, announce } = this.context;
    const shaper = await startShaper({ config, address, announce, linkNumber }).catch((error: unknown) => {
      leave();
      throw error;
    });
    // Frees the seats only after the link has freed its ports.
    const end = (): Promise<void> => shaper.close().finally(leave);
    if (this.#closed) {
      await end();
      throw new Refusal('the page disconnected while its link was being opened', 'link');
    }
    const opened = this.#has(name, shaper, end);
    const origin_epoch_ms = shaper.config.origin_epoch_ms + aheadMs;
    return { ...opened, config: { ...opened.config, origin_epoch_ms } };
  }

  async #joinRoom(room: string): Promise<RoomJoined> {
    const { rooms } = this.context;
    if (rooms.isFull(room, this)) await rooms.removeLost(room);
    if (this.#closed) throw new Refusal('the page disconnected while it was joining the room', 'room');
    return { room, peers: rooms.join(room, this) };
  }

  #join(name: string): LinkOpened {
    const shaper = this.context.lent.get(name);
    if (shaper === undefined) throw new Refusal(`there is no link ${name} to join`, 'link');
    this.context.lent.delete(name);
    const end = (): Promise<void> => {
      shaper.onRows = shaper.onError = () => undefined;
      return Promise.resolve();
    };
    return this.#has(name, shaper, end);
  }

  #has(name: string, shaper: Shaper, end: () => Promise<void>): LinkOpened {
    this.#links.set(name, { shaper, dropped: 0, end });
    shaper.onRows = (rows) => this.#sendRows(name, rows);
    shaper.onError = ({ message }) => {
      this.#links.delete(name);
      // The page receives the link's own error. A second error from `end` would add nothing.
      end().catch(() => undefined);
      this.#send({ type: 'link/error', link: name, message });
    };
    const { a, b, config } = shaper;
    return { link: name, a, b, config };
  }

  /**
   * Takes a seat for a link, both in the session and in the server. Must be called before the first await, so
   * that links that are still being opened are counted. Throws Refusal.
   */
  #takeSeats(): () => void {
    const leaveSession = this.#seats.take();
    try {
      const leaveServer = this.context.linkSeats.take();
      return () => {
        leaveSession();
        leaveServer();
      };
    } catch (error) {
      leaveSession();
      throw error;
    }
  }

  #sendRows(name: string, rows: LinkRow[]): void {
    const link = this.#links.get(name);
    if (link === undefined) return;
    if (this.socket.bufferedAmount > this.context.limits.rows_buffer_bytes) {
      link.dropped += rows.length;
      return;
    }
    const { dropped } = link;
    link.dropped = 0;
    this.#send({ type: 'link/rows', link: name, rows, ...(dropped > 0 && { dropped }) });
  }

  #link(name: string): OpenLink {
    const link = this.#links.get(name);
    if (link === undefined) throw new Refusal(`there is no link ${name}; open one first`, 'link');
    return link;
  }

  #reportLateness(): void {
    if (this.socket.bufferedAmount > this.context.limits.rows_buffer_bytes) return;
    for (const [link, { shaper }] of this.#links) {
      const lateness = shaper.latenessMs();
      const recent_p95_ms = shaper.takeRecentLatenessP95Ms();
      if (lateness.packets > 0) this.#send({ type: 'link/lateness', link, ...lateness, recent_p95_ms });
    }
  }
}

function describe(error: unknown): { message: string; field?: string } {
  const message = error instanceof Error ? error.message : String(error);
  const isKnown = error instanceof Refusal || error instanceof ConfigError;
  return isKnown ? { message, field: error.field } : { message };
}
