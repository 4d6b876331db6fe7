/**
 * Both directions between two peers, driven by a clock: packets go through the core's links and come out when they
 * are due. The propagation delay is applied here, not in the core's link. So each departure can be logged at once,
 * before the packet arrives. The core uses the delay only for the RTT of its cross traffic.
 */
import {
  createLink,
  type Link,
  type LinkDelivery,
  type LinkOptions,
  type LinkStats,
} from '../../core/link.js';
import { DIRECTIONS, type Direction } from '../../core/direction.js';
import { CoreError, type CoreModule } from '../../core/load.js';
import { Alarm } from './alarm.js';
import { DelayLine } from '../../link/delay_line.js';
import type { Lateness } from './lateness.js';
import type { LoggedDrop, PacketLog } from '../../link/packet_log.js';

/** The core's own limit for a propagation delay. */
const MAX_DELAY_US = 60e6;

export interface PathOptions<T> {
  core: CoreModule;
  forward: LinkOptions;
  backward: LinkOptions;
  /** The logs that record what happens to each packet; default: none. */
  logs?: Partial<Record<Direction, PacketLog>>;
  /** The current time in microseconds. It must never run backwards. */
  nowUs(): number;
  /** Counts how late packets were. */
  lateness: Lateness;
  /** Sends a packet that is due; false if there is nowhere to send it to. */
  deliver(packet: T, direction: Direction): boolean;
}

/** One direction: a link, the packets in flight, and the propagation delay behind the link. */
class Way<T> {
  readonly #link: Link;
  readonly #line = new DelayLine<T>();
  readonly #packets = new Map<number, { packet: T; flow: number }>();
  readonly #log: PacketLog | undefined;
  #delayUs: number;
  /**
   * The latest sum of departure time and propagation delay so far. No packet is due before this time, so that packets
   * do not overtake each other if the delay shrinks. The extra delay of a reordered packet is added to this time.
   */
  #lastDueUs = -Infinity;
  #nextId = 0;
  /** The packets that were dropped since the link was last polled. */
  #dropped: LoggedDrop[] = [];

  constructor(core: CoreModule, options: LinkOptions, log: PacketLog | undefined) {
    this.#delayUs = checkedDelayUs(options.oneWayDelayUs ?? 0);
    this.#link = createLink(core, { ...options, ...outside(this.#delayUs) });
    this.#log = log;
  }

  /** Throws CoreError for a packet without a size. */
  offer(packet: T, sizeBytes: number, flow: number, nowUs: number): void {
    const id = this.#nextId++;
    const reason = this.#link.enqueue(id, sizeBytes, nowUs, flow);
    if (reason === null) {
      this.#packets.set(id, { packet, flow });
    } else if (this.#log) {
      this.#dropped.push({ offeredUs: nowUs, sizeBytes, timeUs: nowUs, reason, flow });
      this.advance(nowUs);
    }
  }

  /** Brings the log and the delay line up to this time. */
  advance(nowUs: number): void {
    const deliveries = this.#link.poll(nowUs);
    for (const drop of this.#link.lateDrops()) {
      this.#dropped.push({ ...drop, flow: this.#take(drop.packetId)?.flow ?? 0 });
    }
    if (this.#dropped.length > 0) this.#advanceWithDrops(deliveries);
    else for (const delivery of deliveries) this.#departed(delivery);
  }

  /** The next packet that is due, and when it was due. */
  next(nowUs: number): { packet: T; dueUs: number } | null {
    return this.#line.next(nowUs);
  }

  /**
   * The earliest time at which a packet may be due. A packet that is still in the link is due one propagation delay
   * after it leaves the link.
   */
  nextUs(): number {
    return Math.min(this.#line.nextUs(), this.#link.nextEventUs() + this.#delayUs);
  }

  set(change: Partial<LinkOptions>, nowUs: number): void {
    this.advance(nowUs);
    const delayUs = checkedDelayUs(change.oneWayDelayUs ?? this.#delayUs);
    this.#link.set({ ...change, ...outside(delayUs) }, nowUs);
    this.#delayUs = delayUs;
  }

  stats(nowUs: number): LinkStats {
    return this.#link.stats(nowUs);
  }

  destroy(): void {
    this.#link.destroy();
  }

  /** Merges drops and departures, so that the log is in time order. */
  #advanceWithDrops(deliveries: LinkDelivery[]): void {
    const drops = this.#dropped.sort((a, b) => a.timeUs - b.timeUs);
    this.#dropped = [];
    let next = 0;
    for (const delivery of deliveries) {
      for (let drop = drops[next]; drop && drop.timeUs <= delivery.departUs; drop = drops[++next]) {
        this.#log?.dropped(drop);
      }
      this.#departed(delivery);
    }
    for (const drop of drops.slice(next)) this.#log?.dropped(drop);
  }

  #departed(delivery: LinkDelivery): void {
    const taken = this.#take(delivery.packetId);
    if (taken === undefined) return;
    this.#log?.delivered(delivery, taken.flow);
    this.#lastDueUs = Math.max(this.#lastDueUs, delivery.departUs + this.#delayUs);
    // For a packet that reordering does not hold back, the term in parentheses is exactly 0.
    this.#line.push(taken.packet, this.#lastDueUs + (delivery.deliverUs - delivery.departUs));
  }

  #take(id: number): { packet: T; flow: number } | undefined {
    const taken = this.#packets.get(id);
    this.#packets.delete(id);
    return taken;
  }
}

/**
 * The core's settings for a delay that is applied here: no delay for packets, but an RTT for the core's cross
 * traffic.
 */
const outside = (delayUs: number) => ({ oneWayDelayUs: 0, crossRttUs: 2 * delayUs });

function checkedDelayUs(delayUs: number): number {
  if (delayUs >= 0 && delayUs <= MAX_DELAY_US) return delayUs;
  throw new CoreError(`oneWayDelayUs: expected 0 to ${MAX_DELAY_US} microseconds`, 'oneWayDelayUs');
}

export class PacketPath<T> {
  readonly #options: PathOptions<T>;
  readonly #ways: Readonly<Record<Direction, Way<T>>>;
  readonly #lateness: Lateness;
  readonly #alarm: Alarm;
  #closed = false;

  /** Throws CoreError for settings that the core refuses. */
  constructor(options: PathOptions<T>) {
    const { core, forward, backward, logs = {}, nowUs, lateness } = options;
    this.#options = options;
    this.#lateness = lateness;
    const first = new Way<T>(core, forward, logs.forward);
    try {
      this.#ways = { forward: first, backward: new Way<T>(core, backward, logs.backward) };
    } catch (error) {
      first.destroy();
      throw error;
    }
    this.#alarm = new Alarm(nowUs, () => this.pump());
  }

  /** Accepts a packet that reaches the link now; `sizeBytes` is its size on the wire. */
  offer(direction: Direction, packet: T, sizeBytes: number, flow = 0): void {
    if (this.#closed) return;
    const way = this.#ways[direction];
    way.offer(packet, sizeBytes, flow, this.#options.nowUs());
    // Packets are not sent here but when the alarm rings. This may still happen in this turn of the event
    // loop.
    this.#alarm.set(Math.min(this.#alarm.dueUs, way.nextUs()));
  }

  /** Changes settings from `nowUs` on. Throws CoreError. */
  set(direction: Direction, change: Partial<LinkOptions>, nowUs = this.#options.nowUs()): void {
    this.#ways[direction].set(change, nowUs);
    this.pump();
  }

  stats(direction: Direction, nowUs = this.#options.nowUs()): LinkStats {
    return this.#ways[direction].stats(nowUs);
  }

  /** Sends the due packets, updates the logs and schedules the next wake-up. */
  pump(): void {
    if (this.#closed) return;
    let nextUs = Infinity;
    for (const direction of DIRECTIONS) {
      const way = this.#ways[direction];
      way.advance(this.#options.nowUs());
      this.#send(way, direction);
      nextUs = Math.min(nextUs, way.nextUs());
    }
    this.#alarm.set(nextUs);
  }

  /** Closes the path; packets in flight are lost. */
  close(): void {
    if (this.#closed) return;
    this.#closed = true;
    this.#alarm.clear();
    for (const direction of DIRECTIONS) this.#ways[direction].destroy();
  }

  #send(way: Way<T>, direction: Direction): void {
    const { nowUs, deliver } = this.#options;
    for (let due = way.next(nowUs()); due !== null; due = way.next(nowUs())) {
      if (deliver(due.packet, direction)) this.#lateness.add((nowUs() - due.dueUs) / 1000);
    }
  }
}
