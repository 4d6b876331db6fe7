/**
 * The shaper: a UDP relay that sends real packets through the core's own link, paced by the wall
 * clock. Two sockets, one for each peer: what peer A sends to socket a comes out of socket b to
 * peer B behind the shaped link, and the way back has half the RTT and nothing else. A packet
 * counts with its IPv4 and UDP headers.
 */
import type { RemoteInfo, Socket } from 'node:dgram';
import { performance } from 'node:perf_hooks';

import type { LinkStats } from '../../core/link.js';
import type { CoreModule } from '../../core/load.js';
import {
  DEFAULT_LINK_CONFIG,
  forwardChange,
  forwardLink,
  type LinkConfig,
  type PartialLinkConfig,
} from '../../scenario/link_config.js';
import type { LatenessMs, QueueRow, RelayAddress } from '../../scenario/server_protocol.js';
import { PacketLog } from './packet_log.js';
import { DIRECTIONS, Path, type Direction } from './path.js';
import { queueRow } from './queue_row.js';
import { bindUdp, closeSocket, HEADER_BYTES, ShaperError, UNLIMITED_BPS } from './udp.js';

export { ShaperError } from './udp.js';

const ROWS_INTERVAL_MS = 100;
/** A peer that was silent for this long may come back from another port. */
const FORGET_PEER_US = 5e6;

export interface ShaperOptions {
  core: CoreModule;
  config?: PartialLinkConfig;
  /** Address to bind; default 127.0.0.1. */
  address?: string;
  /** Address that the peers are told; default `address`. */
  announce?: string;
  /** Ports of the sockets a and b; default: free ones. */
  ports?: readonly [a: number, b: number];
  /** Identifies the link in rows. */
  linkNumber?: number;
  /** Keep what became of each packet of the forward direction. */
  record?: boolean;
  /** Rows of the queue, ten times a second. */
  onRows?(rows: QueueRow[]): void;
  /** A socket failed; the shaper is closed. */
  onError?(error: ShaperError): void;
}

interface Peer {
  address: string | null;
  port: number;
  lastUs: number;
}

const nobody = (): Peer => ({ address: null, port: 0, lastUs: 0 });

/** Binds the sockets. Throws ShaperError, CoreError or ConfigError. */
export async function startShaper(options: ShaperOptions): Promise<Shaper> {
  const { address = '127.0.0.1', ports = [0, 0] } = options;
  const socketA = await bindUdp(ports[0], address);
  try {
    return new Shaper(options, socketA, await bindUdp(ports[1], address));
  } catch (error) {
    socketA.close();
    throw error;
  }
}

export class Shaper {
  readonly a: RelayAddress;
  readonly b: RelayAddress;
  readonly log: PacketLog | null;

  #config: LinkConfig;
  readonly #options: ShaperOptions;
  readonly #sockets: Readonly<Record<Direction, Socket>>;
  /** Where each direction leads. */
  readonly #peers: Readonly<Record<Direction, Peer>> = { forward: nobody(), back: nobody() };
  readonly #path: Path<Buffer>;
  readonly #zeroUs: number;
  #firstPacketUs: number | null = null;
  #started: () => void = () => undefined;
  /** Resolves with the first packet from peer A. A capacity schedule counts from here. */
  readonly started = new Promise<void>((resolve) => (this.#started = resolve));
  readonly #rows: NodeJS.Timeout | null;
  #closed = false;

  /** Use startShaper, which binds the sockets. */
  constructor(options: ShaperOptions, socketA: Socket, socketB: Socket) {
    const config = { ...DEFAULT_LINK_CONFIG, ...options.config };
    const { core, address = '127.0.0.1', announce = address } = options;
    this.#options = options;
    this.#config = config;
    // What goes forward leaves from socket b, and back from a.
    this.#sockets = { forward: socketB, back: socketA };
    this.a = { address: announce, port: socketA.address().port };
    this.b = { address: announce, port: socketB.address().port };
    this.log = options.record === true ? new PacketLog() : null;
    const { schedule: _, ...forward } = forwardLink(config);
    this.#path = new Path({
      core,
      forward,
      back: { capacityBps: UNLIMITED_BPS, oneWayDelayUs: (config.rtt_ms * 1000) / 2 },
      ...(this.log && { logs: { forward: this.log } }),
      nowUs: () => this.nowUs(),
      deliver: (packet, direction) => this.#send(packet, direction),
    });
    this.#zeroUs = (config.origin_epoch_ms ?? Date.now()) * 1000 - performance.timeOrigin * 1000;
    socketA.on('message', (packet, from) => this.#receive(packet, from, 'forward'));
    socketB.on('message', (packet, from) => this.#receive(packet, from, 'back'));
    for (const direction of DIRECTIONS) this.#sockets[direction].on('error', (error) => this.#fail(error));
    this.#rows = options.onRows
      ? setInterval(() => this.#options.onRows?.([this.row()]), ROWS_INTERVAL_MS)
      : null;
  }

  get config(): Readonly<LinkConfig> {
    return this.#config;
  }

  /** When the first packet came from peer A, on the shaper's clock; null before. */
  get firstPacketUs(): number | null {
    return this.#firstPacketUs;
  }

  /** Where the times of the trace begin, on this clock. */
  get originUs(): number {
    return this.#zeroUs;
  }

  /** The shaper's clock: microseconds since this process began. */
  nowUs(): number {
    return performance.now() * 1000;
  }

  /** Changes settings at once; a schedule counts from now. Throws CoreError and leaves the rest as it was. */
  set(change: PartialLinkConfig): void {
    const nowUs = this.nowUs();
    const startUs = this.#firstPacketUs === null ? Infinity : nowUs;
    const { schedule, ...options } = forwardChange(change, startUs);
    const forward = schedule === undefined || startUs === Infinity ? options : { ...options, schedule };
    this.#path.set('forward', forward, nowUs);
    const { oneWayDelayUs } = options;
    if (oneWayDelayUs !== undefined) this.#path.set('back', { oneWayDelayUs }, nowUs);
    this.#config = { ...this.#config, ...change };
  }

  stats(): LinkStats {
    return this.#path.stats('forward');
  }

  /** The queue of the forward direction, now. */
  row(): QueueRow {
    const nowUs = this.nowUs();
    return queueRow(this.#path.stats('forward', nowUs), nowUs - this.#zeroUs, this.#options.linkNumber ?? 0);
  }

  /** Percentiles of how late packets were sent, both directions. */
  latenessMs(): LatenessMs {
    return this.#path.lateness.summary();
  }

  /** Closes the sockets; packets under way are lost. */
  async close(): Promise<void> {
    if (this.#closed) return;
    this.#closed = true;
    if (this.#rows) clearInterval(this.#rows);
    this.#path.close();
    await Promise.all(DIRECTIONS.map((direction) => closeSocket(this.#sockets[direction])));
  }

  #receive(packet: Buffer, from: RemoteInfo, direction: Direction): void {
    const nowUs = this.nowUs();
    const peer = this.#peers[direction === 'forward' ? 'back' : 'forward'];
    if (peer.address === null || nowUs - peer.lastUs > FORGET_PEER_US) {
      peer.address = from.address;
      peer.port = from.port;
    } else if (peer.address !== from.address || peer.port !== from.port) {
      return; // another candidate of the same peer, or a stranger
    }
    peer.lastUs = nowUs;
    if (direction === 'forward' && this.#firstPacketUs === null) this.#begin(nowUs);
    this.#path.offer(direction, packet, packet.length + HEADER_BYTES);
  }

  #begin(nowUs: number): void {
    this.#firstPacketUs = nowUs;
    const { schedule = [] } = forwardLink(this.#config, nowUs);
    this.#path.set('forward', { schedule }, nowUs);
    this.#started();
  }

  #send(packet: Buffer, direction: Direction): boolean {
    const { address, port } = this.#peers[direction];
    if (address === null) return false;
    // A peer that is gone is no failure of the relay.
    this.#sockets[direction].send(packet, port, address, () => undefined);
    return true;
  }

  #fail(error: Error): void {
    void this.close();
    this.#options.onError?.(
      new ShaperError(`a socket of the shaper failed: ${error.message}; start it again`),
    );
  }
}
