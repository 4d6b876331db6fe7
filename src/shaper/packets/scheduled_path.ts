/** A path in a shaping thread: its links, their capacities over time, and its reports. */
import { createLink, type CrossTraffic, type LinkStats } from '../../core/link.js';
import { CoreError, type CoreModule } from '../../core/load.js';
import type { QueueRow } from '../../link/server_protocol.js';
import type { CapacityChange } from '../../calls/record/record.js';
import { CapacitySchedule, limitedSteps } from './capacity_schedule.js';
import type { Lateness } from './lateness.js';
import { PacketLog } from '../../link/packet_log.js';
import { DIRECTIONS, type Direction } from '../../core/direction.js';
import { PacketPath } from './packet_path.js';
import type {
  CapacitySteps,
  PathBatch,
  PathChange,
  PathOwner,
  WayBatch,
  WayChange,
} from '../thread/protocol.js';

/** The initial capacity, which the first change replaces. */
const ANY_BPS = 1e6;
/** The difference between the seeds of the two directions. */
const SEED_STEP = 1_000_003;

/**
 * The layer between sockets and paths: hands received packets to the paths, and sends the packets that come out of
 * the paths.
 */
export interface Front<T> {
  /** From now on, the packets of this owner go into this path. */
  attach(owner: PathOwner, path: Pick<PacketPath<T>, 'offer'>): void;
  /** Sends a packet that came out of a path; false if there is no recipient. */
  deliver(packet: T): boolean;
}

interface Way {
  log: PacketLog | null;
  schedule: CapacitySchedule;
  /**
   * The capacity changes since the last batch, up to the latest replacement of the schedule. Later changes come from
   * `schedule`.
   */
  changes: CapacityChange[];
  /** The cross traffic in force. */
  crossTraffic: CrossTraffic;
}

/** What all paths of a thread have in common. */
export interface FrontPaths<T> {
  core: CoreModule;
  front: Front<T>;
  nowUs(): number;
  /** Whether paths report what happens to each packet; default: yes. */
  tellsPackets?: boolean;
  /** The direction whose first packet starts the schedules; by default, the first packet of either direction does. */
  startedBy?: Direction;
}

export interface ScheduledPathOptions<T> extends FrontPaths<T> {
  owner: PathOwner;
  seed: number;
  lateness: Lateness;
}

export class ScheduledPath<T> {
  readonly #ways: Readonly<Record<Direction, Way>>;
  readonly #path: PacketPath<T>;
  readonly #core: CoreModule;
  readonly #owner: PathOwner;
  readonly #nowUs: () => number;
  readonly #startedBy: Direction | undefined;
  #startUs: number | null = null;

  constructor(options: ScheduledPathOptions<T>) {
    const { core, owner, seed, front, lateness, nowUs, tellsPackets = true } = options;
    this.#core = core;
    this.#owner = owner;
    this.#nowUs = nowUs;
    this.#startedBy = options.startedBy;
    const ways = { forward: newWay(tellsPackets), backward: newWay(tellsPackets) };
    this.#ways = ways;
    this.#path = new PacketPath<T>({
      core,
      forward: { capacityBps: ANY_BPS, seed },
      backward: { capacityBps: ANY_BPS, seed: seed + SEED_STEP },
      ...(ways.forward.log &&
        ways.backward.log && { logs: { forward: ways.forward.log, backward: ways.backward.log } }),
      nowUs,
      lateness,
      deliver: (packet) => front.deliver(packet),
    });
  }

  /** Accepts a packet that reaches the path now. The first packet starts the capacity schedules. */
  offer(...[direction, packet, sizeBytes, flow]: Parameters<PacketPath<T>['offer']>): void {
    if (this.#startUs === null && (this.#startedBy ?? direction) === direction) this.#start();
    this.#path.offer(direction, packet, sizeBytes, flow);
  }

  /**
   * Changes settings; returns the time from which they apply. If the core refuses any of them, throws CoreError and
   * changes nothing.
   */
  set(change: PathChange): number {
    const nowUs = this.#nowUs();
    const ways = DIRECTIONS.flatMap((direction) => {
      const { [direction]: way } = change;
      return way ? [{ direction, way }] : [];
    });
    for (const { direction, way } of ways) this.#checkWay(direction, way, nowUs);
    for (const { direction, way } of ways) this.#setWay(direction, way, nowUs);
    return nowUs;
  }

  extend(direction: Direction, steps: CapacitySteps): void {
    const { schedule, crossTraffic } = this.#ways[direction];
    schedule.extend(limitedSteps(steps, crossTraffic));
  }

  /** Reports what happened since the last batch. */
  batch(): PathBatch {
    const nowUs = this.#nowUs();
    this.#path.pump();
    return {
      kind: 'batch',
      owner: this.#owner,
      startUs: this.#startUs,
      forward: this.#wayBatch('forward', nowUs),
      backward: this.#wayBatch('backward', nowUs),
    };
  }

  close(): void {
    this.#path.close();
  }

  /** Starts the capacity schedules. Called for the first packet. */
  #start(): void {
    this.#startUs = this.#nowUs();
    for (const direction of DIRECTIONS) {
      this.#ways[direction].schedule.start(this.#startUs);
      this.#giveSchedule(direction);
    }
  }

  /**
   * Throws the CoreError with which the core would refuse a change, now or at a later step of the schedule. A link that
   * exists only here is created with the settings after the change, and with the highest capacity from now on.
   */
  #checkWay(direction: Direction, { options, capacity }: WayChange, nowUs: number): void {
    const { schedule, crossTraffic } = this.#ways[direction];
    let capacityBps = 0;
    if (capacity === undefined)
      capacityBps = Math.max(this.#path.stats(direction, nowUs).capacityBps, schedule.highestAhead(nowUs));
    else for (let i = 1; i < capacity.length; i += 2) capacityBps = Math.max(capacityBps, capacity[i] ?? 0);
    const inForce = { capacityBps: ANY_BPS, schedule: [{ atUs: nowUs, capacityBps }], crossTraffic };
    try {
      createLink(this.#core, { ...inForce, ...options }).destroy();
    } catch (error) {
      if (!(error instanceof CoreError) || error.field === undefined || direction === 'forward') throw error;
      throw new CoreError(error.message, `${direction}.${error.field}`);
    }
  }

  #setWay(direction: Direction, { options, capacity }: WayChange, nowUs: number): void {
    const way = this.#ways[direction];
    const { schedule, changes } = way;
    const capacityBps = capacity?.[1];
    this.#path.set(direction, { ...options, ...(capacityBps !== undefined && { capacityBps }) }, nowUs);
    way.crossTraffic = options.crossTraffic ?? way.crossTraffic;
    if (capacity === undefined || capacityBps === undefined) return;
    changes.push(...schedule.passed(nowUs));
    schedule.replace(capacity, this.#startUs === null ? null : nowUs);
    changes.push({ timeUs: nowUs, capacityBps });
    this.#giveSchedule(direction);
  }

  #giveSchedule(direction: Direction): void {
    // The links may have been advanced since the caller asked for the time.
    const nowUs = this.#nowUs();
    const schedule = this.#ways[direction].schedule.upcoming(nowUs);
    if (schedule !== null) this.#path.set(direction, { schedule }, nowUs);
  }

  #wayBatch(direction: Direction, nowUs: number): WayBatch {
    const { log, schedule, changes } = this.#ways[direction];
    const stats = this.#path.stats(direction, nowUs);
    const capacity = [...changes.splice(0), ...schedule.passed(nowUs)];
    this.#giveSchedule(direction);
    return {
      packets: log?.take() ?? new Float64Array(0),
      row: queueRow(stats, nowUs, DIRECTIONS.indexOf(direction)),
      stats,
      capacity,
      scheduleStartUs: schedule.startUs,
    };
  }
}

const newWay = (tellsPackets: boolean): Way => ({
  log: tellsPackets ? new PacketLog() : null,
  schedule: new CapacitySchedule(),
  changes: [],
  crossTraffic: {},
});

/** A row of the trace table `queue`. Its `delivered_bytes` include cross traffic. */
function queueRow(stats: LinkStats, timeUs: number, link: number): QueueRow {
  return {
    link,
    time_us: Math.round(timeUs),
    queue_delay_us: Math.round(stats.queueDelayUs),
    queue_bytes: stats.queueBytes,
    capacity_bps: stats.capacityBps,
    drops: stats.drops,
    delivered_bytes: stats.departedBytes + stats.crossDepartedBytes,
  };
}
