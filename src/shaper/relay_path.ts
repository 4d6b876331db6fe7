/** A path behind a relay: its links, their capacities over time, and what is told of them. */
import type { CoreModule } from '../core/load.js';
import type { CapacityChange } from '../calls/record/record.js';
import { CapacitySchedule } from './capacity_schedule.js';
import type { Arrival } from './ice_door.js';
import type { Lateness } from './lateness.js';
import { PacketLog } from '../link/packet_log.js';
import { DIRECTIONS, type Direction } from '../core/direction.js';
import { Path } from './path.js';
import type { CapacitySteps, PathBatch, PathChange, PathOwner, WayBatch, WayChange } from './protocol.js';
import { queueRow } from './queue_row.js';
import type { Relay } from './relay.js';

/** Until the first change says it. */
const ANY_BPS = 1e6;
/** The two directions draw from generators of their own. */
const SEED_STEP = 1_000_003;

interface Way {
  log: PacketLog;
  schedule: CapacitySchedule;
  /** Changes of the capacity by a test, since the last batch. */
  changes: CapacityChange[];
}

export interface RelayPathOptions {
  core: CoreModule;
  owner: PathOwner;
  seed: number;
  relay: Relay;
  lateness: Lateness;
  nowUs(): number;
}

export class RelayPath {
  readonly #ways: Readonly<Record<Direction, Way>> = { forward: newWay(), backward: newWay() };
  readonly #path: Path<Arrival>;
  readonly #owner: PathOwner;
  readonly #nowUs: () => number;
  #startUs: number | null = null;

  constructor({ core, owner, seed, relay, lateness, nowUs }: RelayPathOptions) {
    this.#owner = owner;
    this.#nowUs = nowUs;
    this.#path = new Path<Arrival>({
      core,
      forward: { capacityBps: ANY_BPS, seed },
      backward: { capacityBps: ANY_BPS, seed: seed + SEED_STEP },
      logs: { forward: this.#ways.forward.log, backward: this.#ways.backward.log },
      nowUs,
      ownsThread: true,
      lateness,
      deliver: (packet) => relay.deliver(packet),
    });
  }

  /** A packet comes to the path. */
  offer(...[direction, packet, sizeBytes, flow]: Parameters<Path<Arrival>['offer']>): void {
    if (this.#startUs === null) this.#start();
    this.#path.offer(direction, packet, sizeBytes, flow);
  }

  /** Throws CoreError. Gives the time from which on it counts. */
  set(change: PathChange): number {
    const nowUs = this.#nowUs();
    for (const direction of DIRECTIONS) {
      const { [direction]: way } = change;
      if (way) this.#setWay(direction, way, nowUs);
    }
    return nowUs;
  }

  extend(direction: Direction, steps: CapacitySteps): void {
    this.#ways[direction].schedule.extend(steps);
  }

  /** What happened since the last batch. */
  batch(): PathBatch {
    const nowUs = this.#nowUs();
    this.#path.pump();
    return {
      kind: 'batch',
      owner: this.#owner,
      forward: this.#wayBatch('forward', nowUs),
      backward: this.#wayBatch('backward', nowUs),
    };
  }

  close(): void {
    this.#path.close();
  }

  /** Schedules count from the first packet. */
  #start(): void {
    this.#startUs = this.#nowUs();
    for (const direction of DIRECTIONS) {
      this.#ways[direction].schedule.start(this.#startUs);
      this.#giveSchedule(direction, this.#startUs);
    }
  }

  #setWay(direction: Direction, { options, capacity }: WayChange, nowUs: number): void {
    this.#path.set(direction, options, nowUs);
    if (capacity === undefined) return;
    const { schedule, changes } = this.#ways[direction];
    changes.push(...schedule.passed(nowUs));
    const capacityBps = schedule.replace(capacity, this.#startUs === null ? null : nowUs);
    this.#path.set(direction, { capacityBps }, nowUs);
    changes.push({ timeUs: nowUs, capacityBps });
    this.#giveSchedule(direction, nowUs);
  }

  #giveSchedule(direction: Direction, nowUs: number): void {
    const schedule = this.#ways[direction].schedule.upcoming(nowUs);
    if (schedule !== null) this.#path.set(direction, { schedule }, nowUs);
  }

  #wayBatch(direction: Direction, nowUs: number): WayBatch {
    const { log, schedule, changes } = this.#ways[direction];
    const stats = this.#path.stats(direction, nowUs);
    const capacity = [...changes.splice(0), ...schedule.passed(nowUs)];
    this.#giveSchedule(direction, nowUs);
    return {
      packets: log.take(),
      row: queueRow(stats, nowUs, DIRECTIONS.indexOf(direction)),
      capacity,
      scheduleStartUs: schedule.startUs,
    };
  }
}

const newWay = (): Way => ({ log: new PacketLog(), schedule: new CapacitySchedule(), changes: [] });
