/**
 * The shaper: a UDP relay that sends real packets through the core's own link, paced by the wall
 * clock. Two sockets, one for each peer: what peer A sends to socket a comes out of socket b to
 * peer B behind the shaped link, and the way back has half the RTT and nothing else. A packet
 * counts with its IPv4 and UDP headers. Who the peers are is in peers.ts.
 */
import type { Socket } from 'node:dgram';
import { performance } from 'node:perf_hooks';

import type { LinkStats } from '../core/link.js';
import type { CoreModule } from '../core/load.js';
import {
  DEFAULT_LINK_CONFIG,
  forwardChange,
  forwardLink,
  type LinkConfig,
  type PartialLinkConfig,
} from '../link/link_config.js';
import type { LatenessMs, QueueRow, RelayAddress } from '../link/server_protocol.js';
import { IP_UDP_HEADER_BYTES } from '../calls/metrics.js';
import { PacketLog } from '../link/packet_log.js';
import { DIRECTIONS, type Direction } from '../core/direction.js';
import { Path } from './path.js';
import {
  AddressPeers,
  IcePeers,
  isLoopback,
  type Forward,
  type Peers,
  type PeersContext,
  type PeersOption,
  type PeerUfrags,
} from './peers.js';
import { queueRow } from './queue_row.js';
import { bindUdp, closeSocket, ShaperError, UNLIMITED_BPS } from './udp.js';

export { ShaperError } from './udp.js';

const ROWS_INTERVAL_MS = 100;
/** How often what is over is looked for. */
const SWEEP_INTERVAL_MS = 1000;

export interface ShaperOptions {
  core: CoreModule;
  config?: PartialLinkConfig;
  /** Address to bind; default 127.0.0.1. */
  address?: string;
  /** Address that the peers are told; default `address`. */
  announce?: string;
  /** Ports of the sockets a and b; default: free ones. */
  ports?: readonly [a: number, b: number];
  /** Who may use it; default `ice`. */
  peers?: PeersOption;
  /** Identifies the link in rows. */
  linkNumber?: number;
  /** Keep what became of each packet of the forward direction. */
  record?: boolean;
  /** Rows of the queue, ten times a second. */
  onRows?(rows: QueueRow[]): void;
  /** A socket failed; the shaper is closed. */
  onError?(error: ShaperError): void;
}

function peersOf(option: PeersOption, context: PeersContext): Peers {
  if (option === 'ice') return new IcePeers(context);
  return new AddressPeers(context, option === 'first-datagram' ? null : option);
}

/** Binds the sockets. Throws ShaperError, CoreError or ConfigError. */
export async function startShaper(options: ShaperOptions): Promise<Shaper> {
  const { address = '127.0.0.1', ports = [0, 0], peers } = options;
  if (peers === 'first-datagram' && !isLoopback(address)) {
    throw new ShaperError(
      `peers: on ${address} whoever sends first could take a peer's place; name the peers, or let them use ICE`,
    );
  }
  const socketA = await bindUdp(ports[0], address);
  let socketB: Socket | null = null;
  try {
    socketB = await bindUdp(ports[1], address);
    return new Shaper(options, socketA, socketB);
  } catch (error) {
    socketA.close();
    socketB?.close();
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
  readonly #peers: Peers;
  readonly #path: Path<Forward>;
  readonly #zeroUs: number;
  #firstPacketUs: number | null = null;
  #started: () => void = () => undefined;
  /** Resolves with the first packet from peer A. A capacity schedule counts from here. */
  readonly started = new Promise<void>((resolve) => (this.#started = resolve));
  readonly #rows: NodeJS.Timeout | null;
  readonly #sweep: NodeJS.Timeout;
  #closed = false;

  /** Use startShaper, which binds the sockets. */
  constructor(options: ShaperOptions, socketA: Socket, socketB: Socket) {
    const config = { ...DEFAULT_LINK_CONFIG, ...options.config };
    const { core, address = '127.0.0.1', announce = address, peers = 'ice' } = options;
    this.#options = options;
    this.#config = config;
    // What goes forward leaves from socket b, and back from a.
    this.#sockets = { forward: socketB, backward: socketA };
    this.a = { address: announce, port: socketA.address().port };
    this.b = { address: announce, port: socketB.address().port };
    this.log = options.record === true ? new PacketLog() : null;
    const { schedule: _, ...forward } = forwardLink(config);
    this.#path = new Path({
      core,
      forward,
      backward: { capacityBps: UNLIMITED_BPS, oneWayDelayUs: (config.rtt_ms * 1000) / 2 },
      ...(this.log && { logs: { forward: this.log } }),
      nowUs: () => this.nowUs(),
      deliver: (forward) => forward(),
    });
    // A peer that is gone is no failure of the relay.
    const sendBy =
      (socket: Socket) =>
      (packet: Buffer, port: number, to: string): void =>
        socket.send(packet, port, to, () => undefined);
    this.#peers = peersOf(peers, {
      nowUs: () => this.nowUs(),
      sends: { forward: sendBy(socketB), backward: sendBy(socketA) },
    });
    this.#sweep = setInterval(() => this.#peers.sweep(), SWEEP_INTERVAL_MS);
    this.#zeroUs = (config.origin_epoch_ms ?? Date.now()) * 1000 - performance.timeOrigin * 1000;
    socketA.on('message', (packet, from) => this.#receive(packet, from, 'forward'));
    socketB.on('message', (packet, from) => this.#receive(packet, from, 'backward'));
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
    if (oneWayDelayUs !== undefined) this.#path.set('backward', { oneWayDelayUs }, nowUs);
    this.#config = { ...this.#config, ...change };
  }

  /**
   * With the peers `ice`: the user name fragments that their session descriptions have, those of earlier
   * ones of a connection that is to go on as well. Checks of anybody else are left alone from then on.
   */
  expect(ufrags: PeerUfrags): void {
    if (this.#peers instanceof IcePeers) this.#peers.expect(ufrags);
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

  /** The 95th percentile of those since this was last asked; null where there were none. */
  takeRecentLatenessP95Ms(): number | null {
    return this.#path.lateness.takeRecentP95Ms();
  }

  /** Closes the sockets; packets under way are lost. */
  async close(): Promise<void> {
    if (this.#closed) return;
    this.#closed = true;
    if (this.#rows) clearInterval(this.#rows);
    clearInterval(this.#sweep);
    this.#path.close();
    await Promise.all(DIRECTIONS.map((direction) => closeSocket(this.#sockets[direction])));
  }

  #receive(packet: Buffer, from: RelayAddress, direction: Direction): void {
    const forward = this.#peers.receive(packet, from, direction);
    if (forward === null) return;
    if (direction === 'forward' && this.#firstPacketUs === null) this.#begin(this.nowUs());
    this.#path.offer(direction, forward, packet.length + IP_UDP_HEADER_BYTES);
  }

  #begin(nowUs: number): void {
    this.#firstPacketUs = nowUs;
    const { schedule = [] } = forwardLink(this.#config, nowUs);
    this.#path.set('forward', { schedule }, nowUs);
    this.#started();
  }

  #fail(error: Error): void {
    void this.close();
    this.#options.onError?.(
      new ShaperError(`a socket of the shaper failed: ${error.message}; start it again`),
    );
  }
}
