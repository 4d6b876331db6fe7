/**
 * Capacities that are functions of time or repeated traces. Their steps are asked for ahead of time, so that a capacity
 * keeps changing while a test blocks its thread.
 */
import { performance } from 'node:perf_hooks';

import type { CapacitySource } from './capacity.js';
import { DIRECTIONS, type Direction } from '../core/direction.js';
import type { CapacitySteps, PathChange } from './thread/protocol.js';
import type { PathSettings } from './path_settings.js';

/** Functions are called this far ahead. A test may therefore block its thread for this long, minus INTERVAL_MS. */
const AHEAD_US = 3e6;
const INTERVAL_MS = 200;

interface Feed {
  source: CapacitySource;
  /** Time 0 of the source, on this thread's clock; null until `started` is called. */
  startUs: number | null;
}

export class CapacityFeeds {
  onSteps: (directions: Direction[], steps: CapacitySteps) => void = () => undefined;
  /** Called when a function fails. The link then keeps the last capacity. */
  onFailure: (error: Error) => void = () => undefined;
  readonly #feeds = new Map<Direction, Feed>();
  #timer: NodeJS.Timeout | null = null;
  #isClosed = false;

  /**
   * Builds the message for the shaping thread from settings. Stops calling the capacity functions that these settings
   * replace. Call `commit` once the thread has accepted the message, or `revert` if the thread has refused it: the
   * functions are then called again. Throws ConfigError.
   */
  begin(settings: PathSettings): { change: PathChange; commit(): void; revert(): void } {
    const first = new Map<CapacitySource, CapacitySteps>();
    const change: PathChange = {};
    for (const direction of DIRECTIONS) {
      const { options, capacity: source } = settings[direction];
      const capacity = source && (first.get(source) ?? source.next(AHEAD_US));
      if (source && capacity) first.set(source, capacity);
      change[direction] = { options, ...(capacity && { capacity }) };
    }
    const replaced = new Map<Direction, Feed>();
    for (const direction of DIRECTIONS) {
      const feed = this.#feeds.get(direction);
      if (settings[direction].capacity === undefined || feed === undefined) continue;
      replaced.set(direction, feed);
      this.#feeds.delete(direction);
    }
    return { change, commit: () => this.#commit(settings), revert: () => this.#revert(replaced) };
  }

  /**
   * Records when the schedule of a direction started. `agoUs` is the start time minus the current time, so it is
   * negative.
   */
  started(direction: Direction, agoUs: number): void {
    const feed = this.#feeds.get(direction);
    if (feed) feed.startUs = performance.now() * 1e3 + agoUs;
  }

  close(): void {
    this.#isClosed = true;
    this.#feeds.clear();
    this.#stop();
  }

  #commit(settings: PathSettings): void {
    const feeds = new Map<CapacitySource, Feed>();
    for (const direction of DIRECTIONS) {
      const { capacity: source } = settings[direction];
      if (source === undefined) continue;
      // A function may have become active since `begin`, through a change that began earlier.
      this.#feeds.delete(direction);
      if (!source.isEndless) continue;
      const feed = feeds.get(source) ?? { source, startUs: null };
      feeds.set(source, feed);
      this.#feeds.set(direction, feed);
    }
    this.#runTimer();
  }

  #revert(replaced: ReadonlyMap<Direction, Feed>): void {
    if (this.#isClosed) return;
    // The thread answers changes in their order. So a later change of the same direction has not been committed yet; if
    // it is, it ends these functions again.
    for (const [direction, feed] of replaced) this.#feeds.set(direction, feed);
    this.#runTimer();
  }

  #runTimer(): void {
    if (this.#feeds.size === 0) this.#stop();
    else this.#timer ??= setInterval(() => this.#feed(), INTERVAL_MS).unref();
  }

  #stop(): void {
    if (this.#timer) clearInterval(this.#timer);
    this.#timer = null;
  }

  #feed(): void {
    for (const feed of new Set(this.#feeds.values())) {
      if (feed.startUs === null) continue;
      const directions = DIRECTIONS.filter((direction) => this.#feeds.get(direction) === feed);
      try {
        const steps = feed.source.next(performance.now() * 1e3 - feed.startUs + AHEAD_US);
        if (steps.length > 0) this.onSteps(directions, steps);
      } catch (error) {
        for (const direction of directions) this.#feeds.delete(direction);
        this.onFailure(error instanceof Error ? error : new Error(String(error)));
      }
    }
    if (this.#feeds.size === 0) this.#stop();
  }
}
