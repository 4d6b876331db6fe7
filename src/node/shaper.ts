/**
 * The shaper: a UDP relay that sends real packets through the core's own link, paced by the wall
 * clock. Two sockets, one for each peer: what peer A sends to socket a comes out of socket b to
 * peer B behind the shaped link, and the way back has half the RTT and nothing else. A packet
 * counts with its IPv4 and UDP headers.
 */
import type { RemoteInfo, Socket } from 'node:dgram';
import { performance } from 'node:perf_hooks';

import { createLink, type Link, type LinkStats } from '../core/link.js';
import type { CoreModule } from '../core/load.js';
import {
  DEFAULT_LINK_CONFIG,
  forwardChange,
  forwardLink,
  type LinkConfig,
  type PartialLinkConfig,
} from '../scenario/link_config.js';
import type { LatenessMs, QueueRow, RelayAddress } from '../scenario/server_protocol.js';
import { Alarm } from './alarm.js';
import { Lateness } from './lateness.js';
import { PacketLog } from './packet_log.js';
import { bindUdp, ShaperError } from './udp.js';

export { ShaperError } from './udp.js';

/** IPv4 and UDP headers. */
const HEADER_BYTES = 28;
const ROWS_INTERVAL_MS = 100;
/** A peer that was silent for this long may come back from another port. */
const FORGET_PEER_US = 5e6;
/** Faster than any link that a relay in JavaScript can pace: the way back has no bottleneck. */
const UNLIMITED_BPS = 1e11;

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

/** One direction: a link, what is under way in it, and where it leads. */
interface Direction {
  link: Link;
  packets: Map<number, Buffer>;
  nextId: number;
  out: Socket;
  to: Peer;
  log: PacketLog | null;
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
  readonly #sockets: readonly [Socket, Socket];
  readonly #lateness = new Lateness();
  readonly #peers: readonly [Peer, Peer] = [nobody(), nobody()];
  readonly #forward: Direction;
  readonly #back: Direction;
  readonly #zeroUs: number;
  #firstPacketUs: number | null = null;
  #started: () => void = () => undefined;
  /** Resolves with the first packet from peer A. A capacity schedule counts from here. */
  readonly started = new Promise<void>((resolve) => (this.#started = resolve));
  readonly #alarm = new Alarm(
    () => this.nowUs(),
    () => this.#pump(),
  );
  readonly #rows: NodeJS.Timeout | null;
  #closed = false;

  /** Use startShaper, which binds the sockets. */
  constructor(options: ShaperOptions, socketA: Socket, socketB: Socket) {
    const config = { ...DEFAULT_LINK_CONFIG, ...options.config };
    const { core, address = '127.0.0.1', announce = address } = options;
    this.#options = options;
    this.#config = config;
    this.#sockets = [socketA, socketB];
    this.a = { address: announce, port: socketA.address().port };
    this.b = { address: announce, port: socketB.address().port };
    this.log = options.record === true ? new PacketLog() : null;
    const { schedule: _, ...initial } = forwardLink(config);
    const back = createLink(core, { capacityBps: UNLIMITED_BPS, oneWayDelayUs: (config.rtt_ms * 1000) / 2 });
    const direction = (link: Link, out: Socket, to: Peer, log: PacketLog | null): Direction => ({
      link,
      packets: new Map(),
      nextId: 0,
      out,
      to,
      log,
    });
    try {
      this.#forward = direction(createLink(core, initial), socketB, this.#peers[1], this.log);
    } catch (error) {
      back.destroy();
      throw error;
    }
    this.#back = direction(back, socketA, this.#peers[0], null);
    this.#zeroUs = (config.origin_epoch_ms ?? Date.now()) * 1000 - performance.timeOrigin * 1000;
    socketA.on('message', (packet, from) => this.#receive(packet, from, this.#peers[0], this.#forward));
    socketB.on('message', (packet, from) => this.#receive(packet, from, this.#peers[1], this.#back));
    for (const socket of this.#sockets) socket.on('error', (error) => this.#fail(error));
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
    this.#forward.link.set(
      schedule === undefined || startUs === Infinity ? options : { ...options, schedule },
      nowUs,
    );
    if (options.oneWayDelayUs !== undefined) {
      this.#back.link.set({ oneWayDelayUs: options.oneWayDelayUs }, nowUs);
    }
    this.#config = { ...this.#config, ...change };
    this.#pump();
  }

  stats(): LinkStats {
    return this.#forward.link.stats(this.nowUs());
  }

  /** The queue of the forward direction, now. */
  row(): QueueRow {
    const nowUs = this.nowUs();
    const stats = this.#forward.link.stats(nowUs);
    return {
      link: this.#options.linkNumber ?? 0,
      time_us: Math.round(nowUs - this.#zeroUs),
      queue_delay_us: Math.round(stats.queueDelayUs),
      queue_bytes: stats.queueBytes,
      capacity_bps: stats.capacityBps,
      drops: stats.drops,
      delivered_bytes: stats.departedBytes,
    };
  }

  /** Percentiles of how late packets were sent, both directions. */
  latenessMs(): LatenessMs {
    return this.#lateness.summary();
  }

  /** Closes the sockets; packets under way are lost. */
  async close(): Promise<void> {
    if (this.#closed) return;
    this.#closed = true;
    if (this.#rows) clearInterval(this.#rows);
    this.#alarm.clear();
    for (const { link } of [this.#forward, this.#back]) link.destroy();
    await Promise.all(this.#sockets.map((socket) => new Promise<void>((done) => socket.close(() => done()))));
  }

  #receive(packet: Buffer, from: RemoteInfo, peer: Peer, direction: Direction): void {
    const nowUs = this.nowUs();
    if (peer.address === null || nowUs - peer.lastUs > FORGET_PEER_US) {
      peer.address = from.address;
      peer.port = from.port;
    } else if (peer.address !== from.address || peer.port !== from.port) {
      return; // another candidate of the same peer, or a stranger
    }
    peer.lastUs = nowUs;
    if (direction === this.#forward && this.#firstPacketUs === null) this.#begin(nowUs);
    const id = direction.nextId++;
    const sizeBytes = packet.length + HEADER_BYTES;
    const reason = direction.link.enqueue(id, sizeBytes, nowUs);
    if (reason === null) direction.packets.set(id, packet);
    else direction.log?.dropped({ offeredUs: nowUs, sizeBytes, timeUs: nowUs, reason });
    this.#pump();
  }

  #begin(nowUs: number): void {
    this.#firstPacketUs = nowUs;
    const { schedule = [] } = forwardLink(this.#config, nowUs);
    this.#forward.link.set({ schedule }, nowUs);
    this.#started();
  }

  /** Sends what is due and arranges the next wake-up. */
  #pump(): void {
    if (this.#closed) return;
    let nextUs = Infinity;
    for (const direction of [this.#forward, this.#back]) {
      const { link, packets, log } = direction;
      for (const delivery of link.poll(this.nowUs())) {
        this.#send(direction, delivery.packetId, delivery.deliverUs);
        log?.delivered(delivery);
      }
      for (const drop of link.lateDrops()) {
        packets.delete(drop.packetId);
        log?.dropped(drop);
      }
      nextUs = Math.min(nextUs, link.nextEventUs());
    }
    this.#alarm.set(nextUs);
  }

  #send({ packets, out, to }: Direction, id: number, dueUs: number): void {
    const packet = packets.get(id);
    packets.delete(id);
    if (packet === undefined || to.address === null) return;
    // A peer that is gone is no failure of the relay.
    out.send(packet, to.port, to.address, () => undefined);
    this.#lateness.add((this.nowUs() - dueUs) / 1000);
  }

  #fail(error: Error): void {
    void this.close();
    this.#options.onError?.(
      new ShaperError(`a socket of the shaper failed: ${error.message}; start it again`),
    );
  }
}
