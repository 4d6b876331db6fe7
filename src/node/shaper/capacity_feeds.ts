/**
 * Capacities that are functions of time: asked ahead of the clock, so that a test that blocks its thread
 * does not stop them.
 */
import { performance } from 'node:perf_hooks';

import type { CapacitySource } from './capacity.js';
import { DIRECTIONS, type Direction } from './path.js';
import type { CapacitySteps, PathChange } from './protocol.js';
import type { PathSettings } from './settings.js';

/** A test may block its thread for as long as this, less the interval. */
const AHEAD_US = 3e6;
const INTERVAL_MS = 200;

interface Feed {
  source: CapacitySource;
  /** When its time began, on this thread's clock; null before its first packet. */
  startUs: number | null;
}

export class CapacityFeeds {
  onSteps: (directions: Direction[], steps: CapacitySteps) => void = () => undefined;
  /** A function failed: the last capacity stays. */
  onFailure: (error: Error) => void = () => undefined;
  readonly #feeds = new Map<Direction, Feed>();
  #timer: NodeJS.Timeout | null = null;

  /** What a thread is told of settings: their capacities begin. Throws ConfigError. */
  begin(settings: PathSettings): PathChange {
    const first = new Map<CapacitySource, CapacitySteps>();
    const feeds = new Map<CapacitySource, Feed>();
    const change: PathChange = {};
    for (const direction of DIRECTIONS) {
      const { options, capacity: source } = settings[direction];
      change[direction] = { options };
      if (source === undefined) continue;
      const capacity = first.get(source) ?? source.next(AHEAD_US);
      first.set(source, capacity);
      change[direction] = { options, capacity };
      const feed = feeds.get(source) ?? { source, startUs: null };
      feeds.set(source, feed);
    }
    for (const direction of DIRECTIONS) {
      const { capacity: source } = settings[direction];
      const feed = source && feeds.get(source);
      if (feed) this.#replace(direction, feed);
    }
    return change;
  }

  /** The schedule of this direction began so long ago, as a negative number of microseconds. */
  started(direction: Direction, agoUs: number): void {
    const feed = this.#feeds.get(direction);
    if (feed) feed.startUs = performance.now() * 1e3 + agoUs;
  }

  close(): void {
    this.#feeds.clear();
    this.#stop();
  }

  #replace(direction: Direction, feed: Feed): void {
    if (feed.source.isEndless) this.#feeds.set(direction, feed);
    else this.#feeds.delete(direction);
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
