/** The paths behind a relay or a pair of sockets: the shared path, and the pages' own paths. */
import type { Socket } from 'node:dgram';

import type { LateSecond } from '../../calls/record/record.js';
import { Lateness } from './lateness.js';
import type { Direction } from '../../core/direction.js';
import type { CapacitySteps, PathBatch, PathChange, PathOwner, ThreadTick } from '../thread/protocol.js';
import { Relay, type RelayOptions } from '../relay/relay.js';
import type { Arrival } from '../relay/ice_door.js';
import { ScheduledPath, type FrontPaths } from './scheduled_path.js';

/** Batches are sent ten times a second. A longer gap than this means that the machine did not run the thread. */
const PAUSE_US = 1e6;
/** How often the lateness of packets is reported. */
const SECOND_US = 1e6;

/** Options of a relay with its paths. */
export interface OpenOptions
  extends Pick<RelayOptions, 'nowUs' | 'onFlow' | 'onError'>, Omit<FrontPaths<Arrival>, 'front'> {
  /** `seed` and `change`: the seed and the initial settings of the shared path. */
  seed: number;
  change: PathChange;
  bind(): Promise<Socket>;
}

/**
 * Opens a relay and its shared path. Rejects with CoreError for settings that the core refuses, and with the errors
 * of `bind`. If it rejects, nothing is left open.
 */
export async function openRelay(
  options: OpenOptions,
): Promise<{ relay: Relay; paths: ScheduledPaths<Arrival>; socket: Socket }> {
  const { seed, change, nowUs, bind, onFlow, onError } = options;
  const socket = await bind();
  const relay = new Relay({ socket, nowUs, onFlow, onError });
  const paths = new ScheduledPaths({ ...options, front: relay });
  try {
    paths.open(null, seed, change);
    return { relay, paths, socket };
  } catch (error) {
    await relay.close();
    throw error;
  }
}

export class ScheduledPaths<T> {
  readonly #paths = new Map<PathOwner, ScheduledPath<T>>();
  /** The lateness of the packets of all paths: the paths share a thread, so their packets are late together. */
  readonly #lateness = new Lateness();
  #tickUs: number;
  #secondUs: number;

  constructor(private readonly options: FrontPaths<T>) {
    this.#tickUs = options.nowUs();
    this.#secondUs = options.nowUs();
  }

  /**
   * Opens a path, which replaces any earlier path of this owner. Returns the time from which the path's settings
   * apply. If it throws CoreError, nothing has changed.
   */
  open(owner: PathOwner, seed: number, change: PathChange): number {
    const path = new ScheduledPath({ ...this.options, owner, seed, lateness: this.#lateness });
    let timeUs: number;
    try {
      timeUs = path.set(change);
    } catch (error) {
      path.close();
      throw error;
    }
    this.#paths.get(owner)?.close();
    this.#paths.set(owner, path);
    this.options.front.attach(owner, path);
    return timeUs;
  }

  /** Changes the settings of a path; returns the time from which they apply. Throws CoreError. */
  set(owner: PathOwner, change: PathChange): number {
    return this.#of(owner).set(change);
  }

  extend(owner: PathOwner, directions: readonly Direction[], steps: CapacitySteps): void {
    for (const direction of directions) this.#of(owner).extend(direction, steps);
  }

  /** For each path, reports what happened since the last batch. */
  batches(): PathBatch[] {
    return [...this.#paths.values()].map((path) => path.batch());
  }

  tick(): ThreadTick {
    const nowUs = this.options.nowUs();
    const pause = nowUs - this.#tickUs > PAUSE_US ? { fromUs: this.#tickUs, toUs: nowUs } : null;
    this.#tickUs = nowUs;
    return { pause, lateness: this.#lateness.summary(), late: this.#lateSecond(nowUs) };
  }

  close(): void {
    for (const path of this.#paths.values()) path.close();
    this.#paths.clear();
  }

  /**
   * Returns, once a second, how late the packets of that second were. Returns null in between, and for a second
   * without packets.
   */
  #lateSecond(nowUs: number): LateSecond | null {
    if (nowUs - this.#secondUs < SECOND_US) return null;
    this.#secondUs = nowUs;
    const lateMs = this.#lateness.takeRecentP95Ms();
    return lateMs === null ? null : { timeUs: nowUs, lateMs };
  }

  #of(owner: PathOwner): ScheduledPath<T> {
    const path = this.#paths.get(owner);
    if (path === undefined)
      throw new Error(
        owner === null ? 'the shared link is not open' : `page ${owner + 1} has no link of its own`,
      );
    return path;
  }
}
