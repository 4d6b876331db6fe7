/** One page's connection to the local server: its links and rooms, which end with it. */
import * as v from 'valibot';
import type { WebSocket } from 'ws';

import { CoreError, type CoreModule } from '../core/load.js';
import { ConfigError, parseLinkConfig } from '../scenario/link_config.js';
import {
  clientMessage,
  type CheckedClientMessage,
  type LinkOpened,
  type RoomJoined,
  type ServerMessage,
} from '../scenario/server_protocol.js';
import type { Member, Rooms } from './rooms.js';
import { startShaper, type Shaper } from './shaper/shaper.js';

const LATENESS_INTERVAL_MS = 1000;
const MAX_LINKS = 8;

export interface SessionContext {
  core: CoreModule;
  rooms: Rooms;
  /** Address that relays bind, and the one that peers are told. */
  address: string;
  announce: string;
  record: boolean;
  nextLink(): number;
  onLink(shaper: Shaper): void;
}

type Request = Exclude<CheckedClientMessage, { type: 'room/signal' }>;

/** A request that cannot be served. */
class Refusal extends Error {
  constructor(
    message: string,
    readonly field: string,
  ) {
    super(message);
  }
}

export class Session implements Member {
  readonly #links = new Map<string, Shaper>();
  readonly #timer: NodeJS.Timeout;
  #closed = false;

  constructor(
    private readonly socket: WebSocket,
    private readonly context: SessionContext,
  ) {
    socket.on('message', (data: Buffer) => void this.#receive(data.toString()));
    socket.once('close', () => void this.close());
    socket.on('error', () => socket.terminate());
    this.#timer = setInterval(() => this.#reportLateness(), LATENESS_INTERVAL_MS);
  }

  peers(room: string, peers: number): void {
    this.#send({ type: 'room/peer', room, peers });
  }

  signal(room: string, data: unknown): void {
    this.#send({ type: 'room/signal', room, data });
  }

  async close(): Promise<void> {
    if (this.#closed) return;
    this.#closed = true;
    clearInterval(this.#timer);
    this.context.rooms.leave(this);
    this.socket.close();
    const shapers = [...this.#links.values()];
    this.#links.clear();
    await Promise.all(shapers.map((shaper) => shaper.close()));
  }

  #send(message: ServerMessage): void {
    if (this.socket.readyState === this.socket.OPEN) this.socket.send(JSON.stringify(message));
  }

  async #receive(text: string): Promise<void> {
    let id = 0;
    try {
      const message = parse(text);
      if (message.type === 'room/signal') {
        if (!this.context.rooms.signal(message.room, this, message.data))
          throw new Refusal('join the room first', 'room');
        return;
      }
      id = message.id;
      this.#send({ id, ok: true, result: await this.#serve(message) });
    } catch (error) {
      this.#send({ id: id || idOf(text), ok: false, error: describe(error) });
    }
  }

  async #serve(request: Request): Promise<LinkOpened | RoomJoined | null> {
    switch (request.type) {
      case 'link/open':
        return this.#open(request.config);
      case 'link/set':
        this.#link(request.link).set(parseLinkConfig(request.config, 'config'));
        return null;
      case 'link/close': {
        const shaper = this.#link(request.link);
        this.#links.delete(request.link);
        await shaper.close();
        return null;
      }
      case 'room/join':
        return { room: request.room, peers: this.context.rooms.join(request.room, this) };
    }
  }

  async #open(settings: Record<string, unknown>): Promise<LinkOpened> {
    if (this.#links.size >= MAX_LINKS)
      throw new Refusal(`at most ${MAX_LINKS} links; close one first`, 'link');
    const linkNumber = this.context.nextLink();
    const link = `link-${linkNumber}`;
    const { core, address, announce, record } = this.context;
    const shaper = await startShaper({
      core,
      config: parseLinkConfig(settings, 'config'),
      address,
      announce,
      linkNumber,
      record,
      onRows: (rows) => this.#send({ type: 'link/rows', link, rows }),
      onError: ({ message }) => {
        this.#links.delete(link);
        this.#send({ type: 'link/error', link, message });
      },
    });
    if (this.#closed) {
      await shaper.close();
      throw new Refusal('the connection was closed meanwhile', 'link');
    }
    this.#links.set(link, shaper);
    this.context.onLink(shaper);
    return { link, a: shaper.a, b: shaper.b };
  }

  #link(name: string): Shaper {
    const shaper = this.#links.get(name);
    if (shaper === undefined) throw new Refusal(`there is no link ${name}; open one first`, 'link');
    return shaper;
  }

  #reportLateness(): void {
    for (const [link, shaper] of this.#links) {
      const lateness = shaper.latenessMs();
      if (lateness.packets > 0) this.#send({ type: 'link/lateness', link, ...lateness });
    }
  }
}

/** Throws Refusal. */
function parse(text: string): CheckedClientMessage {
  let data: unknown;
  try {
    data = JSON.parse(text);
  } catch {
    throw new Refusal('expected a message in JSON', 'message');
  }
  const result = v.safeParse(clientMessage, data);
  if (result.success) return result.output;
  const issue = result.issues[0];
  throw new Refusal(issue.message, v.getDotPath(issue) ?? 'message');
}

/** The id of a message that was refused, 0 if it has none. */
function idOf(text: string): number {
  try {
    const data: unknown = JSON.parse(text);
    if (typeof data === 'object' && data !== null && 'id' in data && typeof data.id === 'number')
      return data.id;
  } catch {
    // Not JSON, so it has no id.
  }
  return 0;
}

function describe(error: unknown): { message: string; field?: string } {
  const message = error instanceof Error ? error.message : String(error);
  const known = error instanceof Refusal || error instanceof ConfigError || error instanceof CoreError;
  return known && error.field !== undefined ? { message, field: error.field } : { message };
}
