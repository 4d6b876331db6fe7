/**
 * The messages between a page and the local server over the WebSocket at `/ws`, as JSON. A page opens links
 * (two UDP sockets with a shaped path between them), or joins a link of the program that started the server.
 * A page also joins rooms. Through a room, two pages exchange their session descriptions. When a page's
 * WebSocket closes, the links that it opened are closed, and the page leaves its rooms.
 */
import * as v from 'valibot';

import type { LinkConfig, PartialLinkConfig } from './link_config.js';

export const SERVER_PATH = '/ws';
/** The path under which the server offers the controllers of its command line, each by its name. */
export const OWN_FOLDER = 'own/';
/** A page recognises the local server by this metric of `Server-Timing`. */
export const SERVER_METRIC = 'ccscope';
/** A page recognises by this metric of `Server-Timing` that the server offers the documentation at docs/. */
export const DOCS_METRIC = 'docs';

const id = v.pipe(v.number(), v.safeInteger());
const room = v.pipe(v.string(), v.regex(/^[\w-]{1,64}$/, '1 to 64 letters, digits, - or _'));
const link = v.pipe(v.string(), v.maxLength(64));
/** ICE username fragments of one side (RFC 8839, 5.4). */
const ufrags = v.pipe(v.array(v.pipe(v.string(), v.regex(/^[A-Za-z0-9+/]{4,256}$/))), v.maxLength(8));
/** Settings of a link, which parseLinkConfig checks in detail. */
const config = v.record(v.string(), v.unknown());

/**
 * Two clocks that seem to differ by at most this are the same clock: the message from which this is known takes some
 * time, too.
 */
export const SAME_CLOCK_MS = 1000;

export const clientMessage = v.variant('type', [
  /**
   * Answered by LinkOpened. `now_ms` is the page's clock at the request, in milliseconds since 1970. If the server's
   * clock differs, `origin_epoch_ms` still means the page's clock, both here and in the answer.
   */
  v.object({
    id,
    type: v.literal('link/open'),
    config,
    now_ms: v.optional(v.pipe(v.number(), v.finite())),
  }),
  /** Joins a link of the program that started the server; answered by LinkOpened. */
  v.object({ id, type: v.literal('link/join'), link }),
  v.object({ id, type: v.literal('link/set'), link, config }),
  /** Limits the link to connections between sides with these username fragments, from now on. */
  v.object({ id, type: v.literal('link/peers'), link, a: ufrags, b: ufrags }),
  v.object({ id, type: v.literal('link/close'), link }),
  /** Answered by RoomJoined; a room has two members at most. */
  v.object({ id, type: v.literal('room/join'), room }),
  /**
   * The server passes this message on to the other member of the room. The server replies, with id 0, only if it
   * refuses the message.
   */
  v.object({ type: v.literal('room/signal'), room, data: v.unknown() }),
]);
/** A client's message after validation. */
export type CheckedClientMessage = v.InferOutput<typeof clientMessage>;

/** A client's message as the page sends it. */
export type ClientMessage =
  | { id: number; type: 'link/open'; config: PartialLinkConfig; now_ms?: number }
  | { id: number; type: 'link/join'; link: string }
  | { id: number; type: 'link/set'; link: string; config: PartialLinkConfig }
  | { id: number; type: 'link/peers'; link: string; a: readonly string[]; b: readonly string[] }
  | { id: number; type: 'link/close'; link: string }
  | { id: number; type: 'room/join'; room: string }
  | { type: 'room/signal'; room: string; data: unknown };

/** The address that a peer sends to. */
export interface RelayAddress {
  address: string;
  port: number;
}

/**
 * An open link. The sender sends to `a`, so the answer (the sender's remote description) contains `a` as its
 * candidate. The receiver sends to `b`, so the offer contains `b`.
 */
export interface LinkOpened {
  link: string;
  a: RelayAddress;
  b: RelayAddress;
  config: LinkConfig;
}

export interface RoomJoined {
  room: string;
  /** Number of members, including the page that joined. */
  peers: number;
}

/** A row of the trace table `queue`. `time_us` is relative to the link's `origin_epoch_ms`. */
export interface QueueRow {
  link: number;
  time_us: number;
  queue_delay_us: number;
  queue_bytes: number;
  capacity_bps: number;
  /** Cumulative count of packets that were lost at random or dropped by the queue. */
  drops: number;
  /** Cumulative count of bytes that passed the bottleneck. */
  delivered_bytes: number;
}

/** A row of link statistics, which the server sends to pages ten times a second. */
export interface LinkRow extends QueueRow {
  /** Cumulative count of bytes that passed the bottleneck and belong to the cross traffic. */
  cross_delivered_bytes: number;
}

/** How late packets were sent: the actual sending time of a packet minus the time when it was due. */
export interface LatenessMs {
  p50_ms: number;
  p95_ms: number;
  p99_ms: number;
  packets: number;
}

/** The lateness over the whole call, and over the recent past. */
export interface ToldLatenessMs extends LatenessMs {
  /**
   * The 95th percentile of the lateness in the latest second; null if no packets were sent since the last message
   * `link/lateness`.
   */
  recent_p95_ms: number | null;
}

export type ServerReply =
  | { id: number; ok: true; result: LinkOpened | RoomJoined | null }
  /** `id` is 0 if the refused message had no id. */
  | { id: number; ok: false; error: { message: string; field?: string } };

export type ServerPush =
  /** `dropped` is the number of rows just before `rows` that were omitted because the client read too slowly. */
  | { type: 'link/rows'; link: string; rows: LinkRow[]; dropped?: number }
  | ({ type: 'link/lateness'; link: string } & ToldLatenessMs)
  | { type: 'link/error'; link: string; message: string }
  | { type: 'room/peer'; room: string; peers: number }
  | { type: 'room/signal'; room: string; data: unknown };

export type ServerMessage = ServerReply | ServerPush;
