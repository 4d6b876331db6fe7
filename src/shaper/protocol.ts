/** What a link and the thread that shapes its packets say to each other. */
import type { LinkOptions } from '../core/link.js';
import type { RemoteSide } from '../inject/protocol.js';
import type { LatenessMs, QueueRow, RelayAddress } from '../link/server_protocol.js';
import type { CapacityChange, LateSecond, RelayFlow } from '../calls/record/record.js';
import type { Direction } from '../core/direction.js';

/** Capacities from times on, as pairs of microseconds and bit/s; times count from the schedule's start. */
export type CapacitySteps = Float64Array<ArrayBuffer>;

/** What changes in one direction. */
export interface WayChange {
  options: Omit<Partial<LinkOptions>, 'capacityBps' | 'schedule' | 'seed' | 'burstBytes'>;
  /** The first is at 0. */
  capacity?: CapacitySteps;
}

export type PathChange = Partial<Record<Direction, WayChange>>;

/** Which path: a page's own (its id in the record), or the one that all others share. */
export type PathOwner = number | null;

/** What the thread is started with. */
export interface ThreadSetup {
  port: number;
  /** The zero of all times, on the clock of process.hrtime, in microseconds. */
  zeroUs: number;
  seed: number;
  change: PathChange;
}

export type LinkRequest =
  /** From now on a page has a path of its own. */
  | { kind: 'open'; owner: number; seed: number; change: PathChange }
  | { kind: 'set'; owner: PathOwner; change: PathChange }
  /** Answered after everything that happened until then was sent. */
  | { kind: 'sync' }
  | { kind: 'close' };

export type ToThread =
  | ({ id: number } & LinkRequest)
  /** More steps for schedules that are running, in time order. */
  | { kind: 'extend'; owner: PathOwner; directions: Direction[]; steps: CapacitySteps }
  /** A user name fragment of a page under test. */
  | { kind: 'local'; ufrag: string; page: number }
  | { kind: 'remote'; side: RemoteSide };

/** What happened in one direction since the last time. */
export interface WayBatch {
  /** As PacketLog.take gives them. */
  packets: Float64Array<ArrayBuffer>;
  row: QueueRow;
  capacity: CapacityChange[];
  /** When the schedule that is running began; null before the first packet. */
  scheduleStartUs: number | null;
}

/** A time in which the machine did not run the shaper. */
export interface HostPause {
  fromUs: number;
  toUs: number;
}

/** What happened on a path since the last time. */
export interface PathBatch extends Record<Direction, WayBatch> {
  kind: 'batch';
  owner: PathOwner;
}

/** What is told of a thread itself, after the batches of all its paths. */
export interface ThreadTick {
  lateness: LatenessMs;
  late: LateSecond | null;
  pause: HostPause | null;
}

/** What of an error survives the way out of a thread. */
export interface ThreadProblem {
  /** Name of its class. */
  name: string;
  message: string;
  field: string | undefined;
}

export type FromThread =
  | { kind: 'ready'; relay: RelayAddress }
  | { kind: 'done'; id: number; timeUs: number }
  /** Without an id: the thread cannot go on. */
  | { kind: 'failed'; id: number | null; problem: ThreadProblem }
  | { kind: 'flow'; flow: RelayFlow }
  | PathBatch
  | { kind: 'tick'; tick: ThreadTick };
