/**
 * The page's side of the connection to the local server, over one WebSocket. The connection serves shaped links, and
 * rooms in which two pages exchange messages.
 */
import type { PeerUfrags } from '../../rtc/index.js';
import type { PartialLinkConfig } from '../../link/link_config.js';
import {
  SERVER_PATH,
  type ClientMessage,
  type ToldLatenessMs,
  type LinkOpened,
  type LinkRow,
  type ServerMessage,
  type ServerPush,
} from '../../link/server_protocol.js';

/**
 * Thrown if the server refuses a request or cannot be reached. `field` names the wrong part of a refused
 * request, if there is one.
 */
export class ServerError extends Error {
  override readonly name = 'ServerError';
  constructor(
    message: string,
    readonly field?: string,
  ) {
    super(message);
  }
}

/** The callbacks for the reports of a running link. */
export interface LinkListener {
  /** `missing`: the number of rows that the server omitted before `rows`. */
  rows(rows: readonly LinkRow[], missing: number): void;
  lateness(lateness: ToldLatenessMs): void;
  error(message: string): void;
}

interface Waiting {
  resolve(result: unknown): void;
  reject(error: Error): void;
}

/** A request without the `id` that the client gives it. */
type Request = ClientMessage extends infer M ? (M extends { id: number } ? Omit<M, 'id'> : never) : never;

/** A host without ccscope's server refuses at once; a busy machine may take seconds to answer. */
const CONNECT_TIMEOUT_MS = 10_000;
/**
 * The waits between attempts to reach a server that went away. Each wait is twice the previous one, up to
 * LONGEST_WAIT_MS.
 */
const FIRST_WAIT_MS = 250;
const LONGEST_WAIT_MS = 4000;

export class ServerClient {
  #nextId = 1;
  readonly #waiting = new Map<number, Waiting>();
  readonly #links = new Map<string, LinkListener>();
  readonly #signals = new Map<string, (data: unknown) => void>();
  /** Called once if the connection ends without `close`. */
  onLost: () => void = () => undefined;

  private constructor(private readonly socket: WebSocket) {
    socket.onmessage = ({ data }) => this.#receive(JSON.parse(String(data)) as ServerMessage);
    socket.onclose = () => this.#lost();
  }

  /** Connects to the local server. Resolves to null if none answers, for example on a static host. */
  static connect(): Promise<ServerClient | null> {
    const url = new URL(SERVER_PATH, location.href);
    url.protocol = url.protocol === 'https:' ? 'wss:' : 'ws:';
    url.search = '';
    url.hash = '';
    if (location.protocol === 'file:') return Promise.resolve(null);
    return new Promise((resolve) => {
      const socket = new WebSocket(url);
      const timer = setTimeout(() => socket.close(), CONNECT_TIMEOUT_MS);
      socket.onopen = () => {
        clearTimeout(timer);
        resolve(new ServerClient(socket));
      };
      socket.onclose = () => resolve(null);
    });
  }

  /**
   * Waits for a server that went away, for at most `forMs` and only while `isWanted` returns true. Resolves to
   * whether the server is back.
   */
  static async isBack(forMs: number, isWanted: () => boolean): Promise<boolean> {
    const untilMs = performance.now() + forMs;
    for (let waitMs = FIRST_WAIT_MS; isWanted(); waitMs = Math.min(2 * waitMs, LONGEST_WAIT_MS)) {
      const leftMs = untilMs - performance.now();
      if (leftMs <= 0) return false;
      await new Promise((resolve) => setTimeout(resolve, Math.min(waitMs, leftMs)));
      const server = await ServerClient.connect();
      server?.close();
      if (server) return true;
    }
    return false;
  }

  openLink(config: PartialLinkConfig): Promise<LinkOpened> {
    return this.#ask({ type: 'link/open', config, now_ms: Date.now() }) as Promise<LinkOpened>;
  }

  joinLink(link: string): Promise<LinkOpened> {
    return this.#ask({ type: 'link/join', link }) as Promise<LinkOpened>;
  }

  watchLink(link: string, listener: LinkListener): void {
    this.#links.set(link, listener);
  }

  async setLink(link: string, config: PartialLinkConfig): Promise<void> {
    await this.#ask({ type: 'link/set', link, config });
  }

  /** Tells a link the ICE username fragments of the two peers whose packets it carries. */
  async expectPeers(link: string, { a, b }: PeerUfrags): Promise<void> {
    await this.#ask({ type: 'link/peers', link, a, b });
  }

  async joinRoom(room: string): Promise<void> {
    await this.#ask({ type: 'room/join', room });
  }

  signal(room: string, data: unknown): void {
    this.socket.send(JSON.stringify({ type: 'room/signal', room, data }));
  }

  onSignal(room: string, listener: (data: unknown) => void): void {
    this.#signals.set(room, listener);
  }

  /** Closes the connection. The server then also closes the links that were opened over it. */
  close(): void {
    this.onLost = () => undefined;
    this.socket.close();
  }

  #ask(request: Request): Promise<unknown> {
    const id = this.#nextId++;
    return new Promise((resolve, reject) => {
      this.#waiting.set(id, { resolve, reject });
      this.socket.send(JSON.stringify({ ...request, id }));
    });
  }

  #receive(message: ServerMessage): void {
    if (!('ok' in message)) return this.#pushed(message);
    const waiting = this.#waiting.get(message.id);
    this.#waiting.delete(message.id);
    if (message.ok) waiting?.resolve(message.result);
    else waiting?.reject(new ServerError(message.error.message, message.error.field));
  }

  #pushed(message: ServerPush): void {
    switch (message.type) {
      case 'link/rows':
        return this.#links.get(message.link)?.rows(message.rows, message.dropped ?? 0);
      case 'link/lateness':
        return this.#links.get(message.link)?.lateness(message);
      case 'link/error':
        return this.#links.get(message.link)?.error(message.message);
      case 'room/signal':
        return this.#signals.get(message.room)?.(message.data);
      case 'room/peer':
        return undefined;
    }
  }

  #lost(): void {
    for (const { reject } of this.#waiting.values())
      reject(new ServerError('the local server closed the connection'));
    this.#waiting.clear();
    this.onLost();
  }
}
