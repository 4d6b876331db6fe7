/**
 * Remembers which settings and announcements were sent to a shaper's thread, so that they can be sent to a
 * replacement thread.
 */
import { DIRECTIONS, type Direction } from '../../core/direction.js';
import { limitedSteps } from '../packets/capacity_schedule.js';
import type { PeerUfrags } from '../relay/peers.js';
import type {
  AgentMessage,
  CapacitySteps,
  LinkRequest,
  PathChange,
  PathOwner,
  ThreadSetup,
  ToThread,
  WayBatch,
  WayChange,
} from './protocol.js';

/** The maximum number of announcements about agents that are kept for a new thread; the oldest is dropped first. */
const MAX_AGENTS = 1024;
/** When a schedule has more past steps than this, its past steps are forgotten. */
const MAX_PASSED = 512;

/** Remembers one direction: its settings, and its capacity from the start of the schedule. */
class WayMemory {
  #options: WayChange['options'] = {};
  /** Pairs of a time and a capacity, as in CapacitySteps. */
  #steps: number[] = [];
  /** When the original schedule started; null until a thread has reported this. */
  #startUs: number | null = null;
  /**
   * The time in the original schedule at which the running thread's schedule begins. This is 0 unless the
   * thread is a replacement.
   */
  #offsetUs = 0;

  change({ options, capacity }: WayChange): void {
    this.#options = { ...this.#options, ...options };
    if (capacity === undefined) return;
    this.#steps = [...capacity];
    this.#startUs = null;
    this.#offsetUs = 0;
  }

  /** Adds steps; returns them with the running thread's times. */
  extend(steps: CapacitySteps): CapacitySteps {
    this.#steps.push(...steps);
    return steps.map((value, i) => (i % 2 === 0 ? value - this.#offsetUs : value));
  }

  /**
   * Takes the time at which the running thread's schedule started (`threadStartUs`). Stores and returns when
   * the original schedule started, possibly in an earlier thread. Returns null before the first packet.
   */
  started(threadStartUs: number | null, nowUs: number): number | null {
    if (threadStartUs === null) return null;
    this.#startUs = threadStartUs - this.#offsetUs;
    const passed = this.#passed(nowUs - this.#startUs);
    if (passed > MAX_PASSED) this.#steps.splice(0, 2 * passed);
    return this.#startUs;
  }

  /** Returns all settings and the remaining steps, for a replacement thread that starts now. */
  resume(nowUs: number): WayChange {
    this.#offsetUs = this.#startUs === null ? 0 : Math.max(0, nowUs - this.#startUs);
    const left = Float64Array.from(this.#steps.slice(2 * this.#passed(this.#offsetUs)));
    const moved = left.map((value, i) => (i % 2 === 0 ? Math.max(0, value - this.#offsetUs) : value));
    // The running thread limited the steps that were added in the same way.
    const capacity = limitedSteps(moved, this.#options.crossTraffic);
    return { options: this.#options, ...(capacity.length > 0 && { capacity }) };
  }

  /** How many steps are past. A step is past when the next step has taken effect. */
  #passed(elapsedUs: number): number {
    let passed = 0;
    while ((this.#steps[2 * passed + 2] ?? Infinity) <= elapsedUs) passed++;
    return passed;
  }
}

/** Remembers both directions of a path. */
class PathMemory {
  readonly #ways: Readonly<Record<Direction, WayMemory>> = {
    forward: new WayMemory(),
    backward: new WayMemory(),
  };

  constructor(readonly seed: number) {}

  way(direction: Direction): WayMemory {
    return this.#ways[direction];
  }

  change(change: PathChange): void {
    for (const direction of DIRECTIONS) {
      const { [direction]: way } = change;
      if (way) this.#ways[direction].change(way);
    }
  }

  resume(nowUs: number): PathChange {
    return { forward: this.#ways.forward.resume(nowUs), backward: this.#ways.backward.resume(nowUs) };
  }
}

/** The id of requests whose answer is not awaited. */
const NOBODY = 0;

export class ThreadMemory {
  readonly #paths = new Map<PathOwner, PathMemory>();
  readonly #agents = new Map<string, AgentMessage>();
  #expected: PeerUfrags | null = null;

  constructor({ seed, change }: Pick<ThreadSetup, 'seed' | 'change'>) {
    this.#open(null, seed, change);
  }

  /** Remembers a request that the thread has carried out. */
  done(request: LinkRequest): void {
    if (request.kind === 'open') this.#open(request.owner, request.seed, request.change);
    if (request.kind === 'set') this.#paths.get(request.owner)?.change(request.change);
  }

  /** Who may connect; null if everybody may. */
  get expected(): PeerUfrags | null {
    return this.#expected;
  }

  agent(message: AgentMessage): void {
    if (message.kind === 'expect') {
      this.#expected = message.ufrags;
      return;
    }
    const key = JSON.stringify(message);
    this.#agents.delete(key);
    this.#agents.set(key, message);
    const [oldest] = this.#agents.keys();
    if (this.#agents.size > MAX_AGENTS && oldest !== undefined) this.#agents.delete(oldest);
  }

  /** Adds steps to running schedules. Returns them as messages to the running thread. */
  extend(owner: PathOwner, directions: readonly Direction[], steps: CapacitySteps): ToThread[] {
    const path = this.#paths.get(owner);
    if (path === undefined) return [];
    return directions.map((direction) => ({
      kind: 'extend',
      owner,
      directions: [direction],
      steps: path.way(direction).extend(steps),
    }));
  }

  /** Returns when the schedule of a direction started, from the thread's report; see WayMemory.started. */
  started(owner: PathOwner, direction: Direction, { scheduleStartUs, row }: WayBatch): number | null {
    return this.#paths.get(owner)?.way(direction).started(scheduleStartUs, row.time_us) ?? null;
  }

  /** The initial settings of the shared path (`change`) and the first messages, for a new thread. */
  resume(nowUs: number): { change: PathChange; messages: readonly ToThread[] } {
    const opened = [...this.#paths].flatMap(([owner, path]): ToThread[] =>
      owner === null
        ? []
        : [{ kind: 'open', id: NOBODY, owner, seed: path.seed, change: path.resume(nowUs) }],
    );
    const change = this.#paths.get(null)?.resume(nowUs) ?? {};
    return { change, messages: [...opened, ...this.#agents.values()] };
  }

  #open(owner: PathOwner, seed: number, change: PathChange): void {
    const path = new PathMemory(seed);
    path.change(change);
    this.#paths.set(owner, path);
  }
}
