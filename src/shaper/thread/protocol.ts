/** The messages between a link and the thread that shapes its packets. */
import type { LinkOptions, LinkStats } from '../../core/link.js';
import type { RemoteSide } from '../../inject/protocol.js';
import type { LatenessMs, QueueRow, RelayAddress } from '../../link/server_protocol.js';
import type { CapacityChange, LateSecond, RelayFlow } from '../../calls/record/record.js';
import type { Direction } from '../../core/direction.js';
import type { PeersOption, PeerUfrags } from '../relay/peers.js';

/**
 * The steps of a capacity, in pairs. The first number of a pair is the time in microseconds since the start of the
 * schedule. The second number is the capacity from that time on, in bit/s.
 */
export type CapacitySteps = Float64Array<ArrayBuffer>;

/** The changes in one direction. */
export interface WayChange {
  options: Omit<Partial<LinkOptions>, 'capacityBps' | 'schedule' | 'seed' | 'burstBytes'>;
  /** The first step is at time 0. */
  capacity?: CapacitySteps;
}

export type PathChange = Partial<Record<Direction, WayChange>>;

/** Identifies a path: a page's own path by the page's id in the record, the shared path by null. */
export type PathOwner = number | null;

/** The sockets of a thread. */
export type Sockets =
  /** One socket, whose address the pages of a test use as the address of every peer. */
  | { kind: 'relay'; port: number }
  /**
   * A socket for each of two peers. A packet that peer A sends to socket a goes through the shaped link and leaves
   * from socket b to peer B. With ICE, only the agents in `expected` may connect. Without `expected`, every agent may
   * connect until a message `expect` arrives.
   */
  | {
      kind: 'pair';
      address: string;
      ports: readonly [a: number, b: number];
      peers: PeersOption;
      expected?: PeerUfrags;
    };

/** The data with which the thread is started. */
export interface ThreadSetup {
  sockets: Sockets;
  /** Whether the thread reports what happens to each packet. */
  tellsPackets: boolean;
  /** The zero of all times, on the clock of process.hrtime, in microseconds. */
  zeroUs: number;
  seed: number;
  change: PathChange;
}

export type LinkRequest =
  /** Opens a page's own path. */
  | { kind: 'open'; owner: number; seed: number; change: PathChange }
  | { kind: 'set'; owner: PathOwner; change: PathChange }
  /** Answered when everything that happened before this request has been reported. */
  | { kind: 'sync' }
  | { kind: 'close' };

export type ToThread =
  | ({ id: number } & LinkRequest)
  /** More steps for running schedules, in time order. */
  | { kind: 'extend'; owner: PathOwner; directions: Direction[]; steps: CapacitySteps }
  /** A username fragment of a page under test. */
  | { kind: 'local'; ufrag: string; page: number }
  | { kind: 'remote'; side: RemoteSide }
  /** Sets who may connect from now on. A relay ignores this message. */
  | { kind: 'expect'; ufrags: PeerUfrags };

/** Announcements to a thread about the agents that connect. */
export type AgentMessage = Extract<ToThread, { kind: 'local' | 'remote' | 'expect' }>;

/** What happened in one direction since the last batch. */
export interface WayBatch {
  /** Columns of packets, in the form that PacketLog.take returns. */
  packets: Float64Array<ArrayBuffer>;
  row: QueueRow;
  stats: LinkStats;
  capacity: CapacityChange[];
  /** When the running schedule started; null before the first packet. */
  scheduleStartUs: number | null;
}

/** A period in which the machine did not run the shaper. */
export interface HostPause {
  fromUs: number;
  toUs: number;
}

/** What happened on a path since the last batch. */
export interface PathBatch extends Record<Direction, WayBatch> {
  kind: 'batch';
  owner: PathOwner;
  /** The arrival time of the packet that started the schedules; null before that packet. */
  startUs: number | null;
}

/** Reports about a thread itself, after the batches of all its paths. */
export interface ThreadTick {
  lateness: LatenessMs;
  late: LateSecond | null;
  pause: HostPause | null;
}

/** The parts of an error that can be sent from a thread. */
export interface ThreadProblem {
  /** Name of its class. */
  name: string;
  message: string;
  field: string | undefined;
}

export type FromThread =
  /** The thread listens at the addresses `a` and `b`. With a relay, these are the same address. */
  | { kind: 'ready'; a: RelayAddress; b: RelayAddress }
  | { kind: 'done'; id: number; timeUs: number }
  /** A request failed or, if `id` is null, the thread cannot continue. */
  | { kind: 'failed'; id: number | null; problem: ThreadProblem }
  | { kind: 'flow'; flow: RelayFlow }
  | PathBatch
  | { kind: 'tick'; tick: ThreadTick };
