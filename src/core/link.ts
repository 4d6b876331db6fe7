/**
 * The simulated link of the core (wasm/sim/loaded_link.h). It models one direction of a path: loss, jitter,
 * queue, capacity, outages, delay and reordering. TCP connections can share it.
 */
import { LINK_DELIVERY, LINK_DROP, LINK_STAT } from './abi.generated.js';
import { Handle } from './handle.js';
import type { CoreModule } from './load.js';
import { expectWhole, modeOf, passQueue, type Bottleneck } from './link_arguments.js';
import type { QueueOptions } from './queue.js';

export * from './queue.js';
export type { Bottleneck } from './link_arguments.js';

/** A capacity that applies from `atUs` on. A capacity of 0 is an outage. */
export interface CapacityStep {
  /** In microseconds, on the same clock as the times that the caller passes to the link. */
  atUs: number;
  capacityBps: number;
}

/**
 * Outages of a wireless channel (the GRP paper; see src/papers/README.md). During an outage the bottleneck sends
 * nothing. When it ends, the waiting packets leave in a burst. Both means must be from 1 ms to 1 minute.
 */
export interface OutageOptions {
  /** The mean of the exponentially distributed times between two outages. */
  meanOnUs: number;
  /** The mean length of an outage. */
  meanOffUs: number;
  /** The length of an outage is the sum of this many exponentially distributed times, from 1 to 100. Default 1. */
  offPhases?: number;
}

/** Delays some packets behind the bottleneck, so that later packets overtake them (RFC 4737, 3.3). */
export interface ReorderingOptions {
  /** The probability that a packet is delayed, from 0 to 1. */
  ratio: number;
  /** The additional delay of such a packet, at most one minute. */
  delayUs: number;
}

/**
 * The numbers of TCP connections that share the link, by their congestion control: 0 to 64 of each kind,
 * default 0. The core simulates the connections. They always have data to send.
 */
export interface CrossTraffic {
  cubic?: number;
  newReno?: number;
}

export interface LinkOptions {
  /** From 1 bit/s to 100 Gbit/s. `set` also accepts 0, which is an outage. */
  capacityBps: number;
  /**
   * Scheduled capacity changes, in time order. A change in the past takes effect at once. A call to `set` with a
   * capacity but no schedule cancels the old schedule.
   */
  schedule?: readonly CapacityStep[];
  queue?: QueueOptions;
  /** Default `serial`. */
  bottleneck?: Bottleneck;
  /**
   * The burst that a token bucket sends at once, in bytes. Default 5000. Applies only to a new link: `set`
   * ignores it.
   */
  burstBytes?: number;
  /** Default 0. */
  oneWayDelayUs?: number;
  /** The probability that a packet is lost before the queue, from 0 to 1. Default 0. */
  lossRatio?: number;
  /**
   * The mean length of a run of consecutive losses, from 1 to 1e6 (Gilbert's model). The overall loss ratio stays
   * `lossRatio`. Independent losses have a mean run length of 1 / (1 - lossRatio). This option has an effect
   * only above that length. So with the default 1, losses are independent.
   */
  burstLossPackets?: number;
  /**
   * Sets a random delay before the queue: the absolute value of a normally distributed number with this
   * standard deviation, limited to three standard deviations. Default 0.
   */
  jitterUs?: number;
  /** Random outages. The link starts between two outages. Default: null, no outages. */
  outages?: OutageOptions | null;
  /** Reordering of the caller's packets. Cross traffic stays in order. Default: null, none. */
  reordering?: ReorderingOptions | null;
  /**
   * TCP connections with segments of 1500 B, which pass the same queue. Their ACKs return without congestion.
   * `set` starts or ends connections to reach the given numbers. Not allowed if the capacity or a scheduled
   * capacity is above 1 Gbit/s. Default: none.
   */
  crossTraffic?: CrossTraffic;
  /**
   * The round-trip propagation delay of the cross traffic, at least `oneWayDelayUs`. Default: twice
   * `oneWayDelayUs`.
   */
  crossRttUs?: number;
  /** The seed of the random numbers, an integer. Default 1. Applies only to a new link: `set` ignores it. */
  seed?: number;
}

/**
 * The reasons why packets are dropped, in the order of DropReason in the core. The first entry means "not
 * dropped".
 */
export const DROP_REASONS = [null, 'random-loss', 'queue-full', 'codel', 'pie', 'overlimit'] as const;
export type DropReason = Exclude<(typeof DROP_REASONS)[number], null>;

export interface LinkDelivery {
  packetId: number;
  sizeBytes: number;
  /** When the caller passed the packet to `enqueue`. */
  offeredUs: number;
  /** When the last bit of the packet left the bottleneck. */
  departUs: number;
  /**
   * When the packet reaches the far end. If reordering delays the packet, this may be later than the poll that
   * returns it.
   */
  deliverUs: number;
  /** The time from the packet's arrival at the queue to the start of its transmission. */
  queueDelayUs: number;
}

export interface LinkDrop {
  packetId: number;
  sizeBytes: number;
  offeredUs: number;
  /** When the packet was dropped. */
  timeUs: number;
  reason: DropReason;
}

/** Statistics of the caller's packets. A field includes the cross traffic only if its comment says so. */
export interface LinkStats {
  /** The packets in the queue, including those of the cross traffic. */
  queuePackets: number;
  /** The bytes in the queue, including those of the cross traffic. */
  queueBytes: number;
  /** How long a packet that arrived now would wait if all packets in the queue were sent first. */
  queueDelayUs: number;
  capacityBps: number;
  /** The packets inside the link, at any stage: neither delivered nor dropped. */
  packetsInside: number;
  offeredPackets: number;
  offeredBytes: number;
  /** Packets lost by random loss. */
  lostPackets: number;
  /** Packets dropped by the queue. */
  droppedPackets: number;
  /** Bytes of the packets that were lost or dropped. */
  droppedBytes: number;
  /** The sum of `lostPackets` and `droppedPackets`. */
  drops: number;
  /** Packets that passed the bottleneck. */
  departedPackets: number;
  departedBytes: number;
  /** Packets that reached the far end. */
  deliveredPackets: number;
  deliveredBytes: number;
  /** Bytes of the cross traffic that passed the bottleneck. */
  crossDepartedBytes: number;
  /** Packets of the cross traffic that were lost or dropped. */
  crossDrops: number;
}

/**
 * A link without its own clock. The caller passes the current time in microseconds, which must never
 * decrease.
 */
export interface Link {
  /**
   * Passes a packet to the link. Returns the reason if the packet is dropped at once, otherwise null. `flow` is
   * an integer from 0 to 2^31 - 1, which SFQ and FQ-CoDel use to distinguish flows. Each connection of the cross
   * traffic is a separate flow. Throws CoreError for an invalid number.
   */
  enqueue(packetId: number, sizeBytes: number, nowUs: number, flow?: number): DropReason | null;
  /** Returns the packets that were delivered since the last poll, in order. Omits the cross traffic. */
  poll(nowUs: number): LinkDelivery[];
  /**
   * The packets that `enqueue` accepted and that were dropped between the last two polls. A packet may be dropped
   * when it reaches the queue after its jitter, by a discipline that drops waiting packets, or by a change of the
   * queue.
   */
  lateDrops(): LinkDrop[];
  /**
   * When to call `poll` next: no packet is delivered earlier. Without cross traffic, this is Infinity if the link
   * contains no packet. With cross traffic, this is at most 50 ms after the latest time that the caller passed, so
   * that a poll never has to simulate a long time.
   */
  nextEventUs(): number;
  /**
   * Changes the given settings now. Throws CoreError for a refused setting, which keeps its value. Other
   * given settings may have been changed before the error.
   */
  set(change: Partial<LinkOptions>, nowUs: number): void;
  stats(nowUs: number): LinkStats;
  /** Frees the link. Calling `destroy` again does nothing; all other methods then throw CoreError. */
  destroy(): void;
}

const fieldsOf = (row: object): number => Object.keys(row).length;
const DELIVERY_FIELDS = fieldsOf(LINK_DELIVERY);
const DROP_FIELDS = fieldsOf(LINK_DROP);
const STAT_FIELDS = fieldsOf(LINK_STAT);
/** The time of the initial settings, which is earlier than any time that the caller can pass. */
const BEFORE_ANY_US = -Infinity;

/** Creates a link. Throws a CoreError that names the field if a value is out of range. */
export function createLink(module: CoreModule, options: LinkOptions): Link {
  const pointer = module.found(
    module.abi.ccs_link_create(
      options.capacityBps,
      ...passQueue(module, options.queue ?? { kind: 'droptail' }),
      modeOf(options.bottleneck ?? 'serial'),
      options.burstBytes ?? 5000,
      options.oneWayDelayUs ?? 0,
      options.lossRatio ?? 0,
      options.jitterUs ?? 0,
      options.seed ?? 1,
    ),
  );
  const handle = new Handle(module, 'link', module.abi.ccs_link_destroy, pointer);
  try {
    setSchedule(handle, options.schedule ?? []);
    setLoad(handle, options, BEFORE_ANY_US);
  } catch (error) {
    handle.destroy();
    throw error;
  }
  return new CoreLink(handle);
}

function setSchedule(handle: Handle, steps: readonly CapacityStep[]): void {
  handle.core.input(steps.flatMap(({ atUs, capacityBps }) => [atUs, capacityBps]));
  handle.core.check(handle.abi.ccs_link_set_schedule(handle.pointer, steps.length));
}

/** Applies the given settings, and leaves the others unchanged. */
function setLoad(
  handle: Handle,
  { burstLossPackets, reordering, outages, crossTraffic, crossRttUs }: Partial<LinkOptions>,
  nowUs: number,
): void {
  if (burstLossPackets !== undefined)
    handle.core.check(handle.abi.ccs_link_set_burst_loss(handle.pointer, burstLossPackets, nowUs));
  if (reordering !== undefined) {
    const { ratio, delayUs } = reordering ?? { ratio: 0, delayUs: 0 };
    handle.core.check(handle.abi.ccs_link_set_reordering(handle.pointer, ratio, delayUs, nowUs));
  }
  if (outages !== undefined) {
    const { meanOnUs, meanOffUs, offPhases = 1 } = outages ?? { meanOnUs: 0, meanOffUs: 0 };
    expectWhole('offPhases', offPhases, '1 to 100');
    handle.core.check(handle.abi.ccs_link_set_outages(handle.pointer, meanOnUs, meanOffUs, offPhases, nowUs));
  }
  if (crossRttUs !== undefined)
    handle.core.check(handle.abi.ccs_link_set_cross_rtt(handle.pointer, crossRttUs, nowUs));
  setCrossTraffic(handle, crossTraffic, nowUs);
}

function setCrossTraffic(handle: Handle, crossTraffic: CrossTraffic | undefined, nowUs: number): void {
  if (crossTraffic === undefined) return;
  const { cubic = 0, newReno = 0 } = crossTraffic;
  handle.core.check(handle.abi.ccs_link_set_cross_traffic(handle.pointer, cubic, newReno, nowUs));
}

class CoreLink implements Link {
  readonly #handle: Handle;

  constructor(handle: Handle) {
    this.#handle = handle;
  }

  enqueue(packetId: number, sizeBytes: number, nowUs: number, flow = 0): DropReason | null {
    expectWhole('flow', flow, '0 to 2^31 - 1');
    const reason = this.#handle.abi.ccs_link_enqueue(this.#handle.pointer, packetId, sizeBytes, flow, nowUs);
    if (reason < 0) throw this.#handle.core.lastError();
    return DROP_REASONS[reason] ?? null;
  }

  poll(nowUs: number): LinkDelivery[] {
    const { abi, pointer } = this.#handle;
    const count = abi.ccs_link_poll(pointer, nowUs);
    if (count < 0) throw this.#handle.core.lastError();
    if (count === 0) return [];
    return this.#rows(abi.ccs_link_deliveries(pointer), count, DELIVERY_FIELDS).map((row) => ({
      packetId: row[LINK_DELIVERY.packetId] as number,
      sizeBytes: row[LINK_DELIVERY.sizeBytes] as number,
      offeredUs: row[LINK_DELIVERY.offeredUs] as number,
      departUs: row[LINK_DELIVERY.departUs] as number,
      deliverUs: row[LINK_DELIVERY.deliverUs] as number,
      queueDelayUs: row[LINK_DELIVERY.queueDelayUs] as number,
    }));
  }

  lateDrops(): LinkDrop[] {
    const { abi, pointer } = this.#handle;
    const count = abi.ccs_link_drop_count(pointer);
    if (count === 0) return [];
    return this.#rows(abi.ccs_link_drops(pointer), count, DROP_FIELDS).map((row) => ({
      packetId: row[LINK_DROP.packetId] as number,
      sizeBytes: row[LINK_DROP.sizeBytes] as number,
      offeredUs: row[LINK_DROP.offeredUs] as number,
      timeUs: row[LINK_DROP.timeUs] as number,
      reason: DROP_REASONS[row[LINK_DROP.reason] as number] ?? 'queue-full',
    }));
  }

  nextEventUs(): number {
    return this.#handle.abi.ccs_link_next_event_us(this.#handle.pointer);
  }

  set(change: Partial<LinkOptions>, nowUs: number): void {
    // This brings the link to `nowUs`, so that the steps of an old schedule that are due still apply.
    this.stats(nowUs);
    // Removes the cross traffic first, since the same change may set a capacity that is too high for cross
    // traffic.
    const { cubic = 0, newReno = 0 } = change.crossTraffic ?? {};
    if (cubic + newReno === 0) setCrossTraffic(this.#handle, change.crossTraffic, nowUs);
    const { core, abi, pointer } = this.#handle;
    if (change.capacityBps !== undefined) {
      core.check(abi.ccs_link_set_capacity(pointer, change.capacityBps, nowUs));
      setSchedule(this.#handle, []);
    }
    if (change.schedule !== undefined) setSchedule(this.#handle, change.schedule);
    if (change.queue !== undefined) {
      core.check(abi.ccs_link_set_queue(pointer, ...passQueue(core, change.queue), nowUs));
    }
    if (change.bottleneck !== undefined)
      core.check(abi.ccs_link_set_mode(pointer, modeOf(change.bottleneck), nowUs));
    if (change.oneWayDelayUs !== undefined)
      core.check(abi.ccs_link_set_one_way_delay(pointer, change.oneWayDelayUs, nowUs));
    if (change.lossRatio !== undefined)
      core.check(abi.ccs_link_set_loss_ratio(pointer, change.lossRatio, nowUs));
    if (change.jitterUs !== undefined) core.check(abi.ccs_link_set_jitter(pointer, change.jitterUs, nowUs));
    setLoad(this.#handle, change, nowUs);
  }

  stats(nowUs: number): LinkStats {
    const { core, abi, pointer } = this.#handle;
    const values = core.doubles(core.found(abi.ccs_link_stats(pointer, nowUs)), STAT_FIELDS);
    const stats = Object.fromEntries(
      Object.entries(LINK_STAT).map(([name, place]) => [name, values[place]]),
    ) as Record<keyof typeof LINK_STAT, number>;
    return { ...stats, drops: stats.lostPackets + stats.droppedPackets };
  }

  destroy(): void {
    this.#handle.destroy();
  }

  #rows(pointer: number, count: number, fields: number): Float64Array[] {
    const flat = this.#handle.core.doubles(pointer, count * fields);
    return Array.from({ length: count }, (_, row) => flat.subarray(row * fields, (row + 1) * fields));
  }
}
