/**
 * The simulated link of the core (wasm/sim/loaded_link.h): loss, jitter, queue, capacity, outages and delay of one
 * direction, and TCP connections that share it.
 */
import { LINK_DELIVERY, LINK_DROP, LINK_STAT } from './abi.generated.js';
import { Handle } from './handle.js';
import type { CoreModule } from './load.js';
import { expectWhole, modeOf, passQueue, type Bottleneck } from './link_arguments.js';
import type { QueueOptions } from './queue.js';

export * from './queue.js';
export type { Bottleneck } from './link_arguments.js';

/** A capacity, and the time from which it applies; a capacity of 0 is an outage. */
export interface CapacityStep {
  /** On the clock that drives the link, in microseconds. */
  atUs: number;
  capacityBps: number;
}

/**
 * Outages of a wireless channel (gcc-packet-grouping-2016): the bottleneck sends nothing during an outage, and
 * what waited leaves in a burst at its end. Means are 1 ms to one minute.
 */
export interface OutageOptions {
  /** The mean of the exponentially distributed times between two outages. */
  meanOnUs: number;
  /** The mean length of an outage. */
  meanOffUs: number;
  /** Each outage is the sum of this many exponential times, 1 to 100; default 1. */
  offPhases?: number;
}

/** Packets that are held back behind the bottleneck, so that later ones overtake them (RFC 4737, 3.3). */
export interface ReorderingOptions {
  /** Probability that a packet is held back, 0 to 1. */
  ratio: number;
  /** For how long, up to one minute: the late time offset of RFC 4737, 4.2.2. */
  delayUs: number;
}

/** TCP connections of the core that always have data to send: 0 to 64 of each congestion control. Default 0. */
export interface CrossTraffic {
  cubic?: number;
  newReno?: number;
}

export interface LinkOptions {
  /** 1 bit/s to 100 Gbit/s. `set` also takes 0, an outage. */
  capacityBps: number;
  /** Scheduled capacity changes, in time order. A `set` with a capacity but no schedule cancels them. */
  schedule?: readonly CapacityStep[];
  queue?: QueueOptions;
  /** Default `serial`. */
  bottleneck?: Bottleneck;
  /**
   * The burst that a token bucket lets through at once, in bytes; default 5000. Only for a new link: `set`
   * ignores it.
   */
  burstBytes?: number;
  /** Default 0. */
  oneWayDelayUs?: number;
  /** Probability that a packet is lost before the queue, 0 to 1. Default 0. */
  lossRatio?: number;
  /**
   * Mean length of a run of lost packets, 1 to 1e6 (Gilbert's model); the overall ratio stays `lossRatio`.
   * Default 1: independent losses, whose mean run length is 1 / (1 - lossRatio); values below that length act
   * like 1.
   */
  burstLossPackets?: number;
  /**
   * Standard deviation of a normally distributed delay before the queue; of each random value, the absolute
   * value is used, limited to three deviations.
   */
  jitterUs?: number;
  /** Outages from now on, starting with a channel that is up; null, the default: none. */
  outages?: OutageOptions | null;
  /** Reordering of the caller's packets; null, the default: none. */
  reordering?: ReorderingOptions | null;
  /**
   * TCP connections in the same queue, with segments of 1500 B; the way back of their ACKs is not congested.
   * `set` starts missing connections and ends surplus ones. Not allowed if the capacity or a step of the schedule
   * is above 1 Gbit/s. Default: none.
   */
  crossTraffic?: CrossTraffic;
  /** Round-trip propagation delay of these connections, at least `oneWayDelayUs`; default: twice that. */
  crossRttUs?: number;
  /** The seed of the random numbers, an integer. Default 1. Only for a new link: `set` ignores it. */
  seed?: number;
}

/**
 * The reasons for which packets are dropped, in the order of the core's DropReason; the first one means "not
 * dropped".
 */
export const DROP_REASONS = [null, 'random-loss', 'queue-full', 'codel', 'pie', 'overlimit'] as const;
export type DropReason = Exclude<(typeof DROP_REASONS)[number], null>;

export interface LinkDelivery {
  packetId: number;
  sizeBytes: number;
  /** When it was enqueued. */
  offeredUs: number;
  /** When its last bit left the bottleneck. */
  departUs: number;
  /**
   * When it is due at the far end. For a packet that reordering holds back, this lies after the time of the poll.
   */
  deliverUs: number;
  /** From reaching the queue to the start of its transmission. */
  queueDelayUs: number;
}

export interface LinkDrop {
  packetId: number;
  sizeBytes: number;
  offeredUs: number;
  /** When it was dropped. */
  timeUs: number;
  reason: DropReason;
}

/** Counts of the caller's packets only, unless a field says otherwise. */
export interface LinkStats {
  /** Cross traffic included. */
  queuePackets: number;
  /** Cross traffic included. */
  queueBytes: number;
  /** How long a packet that arrived now would wait behind all others. */
  queueDelayUs: number;
  capacityBps: number;
  /** Packets that are not yet delivered or dropped, at any stage. */
  packetsInside: number;
  offeredPackets: number;
  offeredBytes: number;
  /** By random loss. */
  lostPackets: number;
  /** By the queue. */
  droppedPackets: number;
  /** By random loss or by the queue. */
  droppedBytes: number;
  /** Lost and dropped packets together. */
  drops: number;
  /** What passed the bottleneck. */
  departedPackets: number;
  departedBytes: number;
  /** What reached the far end. */
  deliveredPackets: number;
  deliveredBytes: number;
  /** Bytes of the cross traffic that passed the bottleneck. */
  crossDepartedBytes: number;
  /** Packets of the cross traffic that were lost or dropped. */
  crossDrops: number;
}

/** A link without a clock: the caller passes the time, in microseconds, which must never go back. */
export interface Link {
  /**
   * Offers a packet. Returns the reason if it is dropped at once, else null. `flow`, an integer from 0 to 2^31 -
   * 1, distinguishes flows in SFQ and FQ-CoDel; the cross traffic's connections are separate flows. Throws
   * CoreError for an invalid number.
   */
  enqueue(packetId: number, sizeBytes: number, nowUs: number, flow?: number): DropReason | null;
  /** Deliveries since the last poll, in order; cross traffic is not included. */
  poll(nowUs: number): LinkDelivery[];
  /**
   * Packets that were accepted and then dropped (after jitter, by a discipline that drops waiting packets, or by
   * a change of the queue), as of the last poll.
   */
  lateDrops(): LinkDrop[];
  /**
   * When to poll next: nothing is delivered before. Infinity if nothing is under way; with cross traffic at
   * most 50 ms after the latest time that the link was given, so that there is never much to compute at once.
   */
  nextEventUs(): number;
  /**
   * Changes the given settings from now on. Throws CoreError if one is refused, and then leaves that setting
   * unchanged.
   */
  set(change: Partial<LinkOptions>, nowUs: number): void;
  stats(nowUs: number): LinkStats;
  /** Frees the memory; further calls do nothing. All other methods throw CoreError from then on. */
  destroy(): void;
}

const fieldsOf = (row: object): number => Object.keys(row).length;
const DELIVERY_FIELDS = fieldsOf(LINK_DELIVERY);
const DROP_FIELDS = fieldsOf(LINK_DROP);
const STAT_FIELDS = fieldsOf(LINK_STAT);
/** The time that is passed with the settings that a link has from the start, when no time is known yet. */
const BEFORE_ANY_US = -Infinity;

/** Creates a link. Throws CoreError that names the field for a value out of its range. */
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

/** Applies those settings that are given; the others stay unchanged. */
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
    // A capacity that is too high for cross traffic is allowed in a change that also removes the cross traffic.
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
