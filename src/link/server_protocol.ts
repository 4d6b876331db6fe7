/**
 * What a page and the local server say to each other over the WebSocket at `/ws`, as JSON. A page opens links (two
 * UDP sockets with a shaped path between them), or joins one that the server was lent by who started it, and joins
 * rooms, through which two pages exchange their session descriptions. The links that a page opened, and its
 * memberships, end with its socket.
 */
import * as v from 'valibot';

import type { LinkConfig, PartialLinkConfig } from './link_config.js';

export const SERVER_PATH = '/ws';
/** Where it serves the controllers that a command line brought, by their names. */
export const OWN_FOLDER = 'own/';
/** With this metric of `Server-Timing` it tells a page that the documentation is at docs/. */
export const DOCS_METRIC = 'docs';

const id = v.pipe(v.number(), v.safeInteger());
const room = v.pipe(v.string(), v.regex(/^[\w-]{1,64}$/, '1 to 64 letters, digits, - or _'));
const link = v.pipe(v.string(), v.maxLength(64));
/** ICE user name fragments of one side (RFC 8839, 5.4). */
const ufrags = v.pipe(v.array(v.pipe(v.string(), v.regex(/^[A-Za-z0-9+/]{4,256}$/))), v.maxLength(8));
/** Settings of a link: checked by parseLinkConfig, whose messages say more. */
const config = v.record(v.string(), v.unknown());

export const clientMessage = v.variant('type', [
  /** Answered by LinkOpened. */
  v.object({ id, type: v.literal('link/open'), config }),
  /** A link that the server was lent; answered by LinkOpened. */
  v.object({ id, type: v.literal('link/join'), link }),
  v.object({ id, type: v.literal('link/set'), link, config }),
  /** From now on the link is for connections between these, and for nobody else's. */
  v.object({ id, type: v.literal('link/peers'), link, a: ufrags, b: ufrags }),
  v.object({ id, type: v.literal('link/close'), link }),
  /** Answered by RoomJoined; a room has two members at most. */
  v.object({ id, type: v.literal('room/join'), room }),
  /** Passed on to the other one in the room; answered only if it is refused, with id 0. */
  v.object({ type: v.literal('room/signal'), room, data: v.unknown() }),
]);
/** A client's message after validation. */
export type CheckedClientMessage = v.InferOutput<typeof clientMessage>;

/** A client's message as a page writes it. */
export type ClientMessage =
  | { id: number; type: 'link/open'; config: PartialLinkConfig }
  | { id: number; type: 'link/join'; link: string }
  | { id: number; type: 'link/set'; link: string; config: PartialLinkConfig }
  | { id: number; type: 'link/peers'; link: string; a: readonly string[]; b: readonly string[] }
  | { id: number; type: 'link/close'; link: string }
  | { id: number; type: 'room/join'; room: string }
  | { type: 'room/signal'; room: string; data: unknown };

/** Where a peer sends to. */
export interface RelayAddress {
  address: string;
  port: number;
}

/** The sender sends to `a`, the receiver to `b`: the answer carries a's candidate, the offer b's. */
export interface LinkOpened {
  link: string;
  a: RelayAddress;
  b: RelayAddress;
  config: LinkConfig;
}

export interface RoomJoined {
  room: string;
  /** In the room, the one who joined included. */
  peers: number;
}

/** A row of the trace table `queue`. `time_us` counts from the link's `origin_epoch_ms`. */
export interface QueueRow {
  link: number;
  time_us: number;
  queue_delay_us: number;
  queue_bytes: number;
  capacity_bps: number;
  /** Cumulative, lost by chance or dropped by the queue. */
  drops: number;
  /** Cumulative, through the bottleneck. */
  delivered_bytes: number;
}

/** How late packets were sent: the actual minus the due time. */
export interface LatenessMs {
  p50_ms: number;
  p95_ms: number;
  p99_ms: number;
  packets: number;
}

/** The same over a whole call, and lately. */
export interface ToldLatenessMs extends LatenessMs {
  /** The lateness of the packets since the last such message; null if there were no packets. */
  recent_p95_ms: number | null;
}

export type ServerReply =
  | { id: number; ok: true; result: LinkOpened | RoomJoined | null }
  /** `id` 0 answers a message that had none. */
  | { id: number; ok: false; error: { message: string; field?: string } };

export type ServerPush =
  /** `dropped` rows before these were left out, since the client did not read. */
  | { type: 'link/rows'; link: string; rows: QueueRow[]; dropped?: number }
  | ({ type: 'link/lateness'; link: string } & ToldLatenessMs)
  | { type: 'link/error'; link: string; message: string }
  | { type: 'room/peer'; room: string; peers: number }
  | { type: 'room/signal'; room: string; data: unknown };

export type ServerMessage = ServerReply | ServerPush;
