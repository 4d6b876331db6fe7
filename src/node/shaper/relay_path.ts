/** The path behind a relay: its links, their capacities over time, and what is told of them. */
import type { Socket } from 'node:dgram';

import type { CoreModule } from '../../core/load.js';
import type { CapacityChange, LateSecond } from '../observe/record.js';
import { CapacitySchedule } from './capacity_schedule.js';
import { PacketLog } from './packet_log.js';
import { DIRECTIONS, Path, type Direction } from './path.js';
import type { CapacitySteps, FromThread, PathChange, WayBatch, WayChange } from './protocol.js';
import { queueRow } from './queue_row.js';
import type { Arrival } from './ice_door.js';
import { Relay, type RelayOptions } from './relay.js';

/** Until the first change says it. */
const ANY_BPS = 1e6;
/** Batches are made ten times a second: after this long without one, the machine stood still. */
const PAUSE_US = 1e6;
/** How often it is told how late packets were. */
const SECOND_US = 1e6;
/** The two directions draw from generators of their own. */
const SEED_STEP = 1_000_003;

type Batch = Extract<FromThread, { kind: 'batch' }>;

interface Way {
  log: PacketLog;
  schedule: CapacitySchedule;
  /** Changes of the capacity by a test, since the last batch. */
  changes: CapacityChange[];
}

export interface RelayPathOptions {
  core: CoreModule;
  seed: number;
  relay: Relay;
  nowUs(): number;
}

/** What a relay with its path is opened with. */
export interface OpenOptions extends Pick<RelayOptions, 'nowUs' | 'onFlow' | 'onError'> {
  core: CoreModule;
  seed: number;
  change: PathChange;
  bind(): Promise<Socket>;
}

/** Rejects with CoreError for settings that the core refuses, and with what `bind` does; nothing stays open then. */
export async function openRelayPath(
  options: OpenOptions,
): Promise<{ relay: Relay; path: RelayPath; socket: Socket }> {
  const { core, seed, change, nowUs, bind, onFlow, onError } = options;
  const socket = await bind();
  const relay = new Relay({ socket, nowUs, onFlow, onError });
  let path: RelayPath | null = null;
  try {
    path = new RelayPath({ core, seed, relay, nowUs });
    path.set(change);
    return { relay, path, socket };
  } catch (error) {
    path?.close();
    await relay.close();
    throw error;
  }
}

export class RelayPath {
  readonly #ways: Readonly<Record<Direction, Way>> = { forward: newWay(), back: newWay() };
  readonly #path: Path<Arrival>;
  readonly #nowUs: () => number;
  #startUs: number | null = null;
  #batchUs: number;
  #secondUs: number;

  constructor({ core, seed, relay, nowUs }: RelayPathOptions) {
    this.#nowUs = nowUs;
    this.#batchUs = nowUs();
    this.#secondUs = nowUs();
    this.#path = new Path<Arrival>({
      core,
      forward: { capacityBps: ANY_BPS, seed },
      back: { capacityBps: ANY_BPS, seed: seed + SEED_STEP },
      logs: { forward: this.#ways.forward.log, back: this.#ways.back.log },
      nowUs,
      ownsThread: true,
      deliver: (packet) => relay.deliver(packet),
    });
    relay.attach({ offer: (...packet) => this.#offer(...packet) });
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
  batch(): Batch {
    const nowUs = this.#nowUs();
    const pause = nowUs - this.#batchUs > PAUSE_US ? { fromUs: this.#batchUs, toUs: nowUs } : null;
    this.#batchUs = nowUs;
    this.#path.pump();
    return {
      kind: 'batch',
      pause,
      forward: this.#wayBatch('forward', nowUs),
      back: this.#wayBatch('back', nowUs),
      lateness: this.#path.lateness.summary(),
      late: this.#lateSecond(nowUs),
    };
  }

  /** Once a second: how late packets were in it; null in between, and where there were none. */
  #lateSecond(nowUs: number): LateSecond | null {
    if (nowUs - this.#secondUs < SECOND_US) return null;
    this.#secondUs = nowUs;
    const lateMs = this.#path.lateness.takeRecentP95Ms();
    return lateMs === null ? null : { timeUs: nowUs, lateMs };
  }

  close(): void {
    this.#path.close();
  }

  #offer(...[direction, packet, sizeBytes, flow]: Parameters<Path<Arrival>['offer']>): void {
    if (this.#startUs === null) this.#start();
    this.#path.offer(direction, packet, sizeBytes, flow);
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
