/** Capacities that change, for a link that is told of each one when it begins. */
import type { CapacitySource } from './capacity.js';
import { DIRECTIONS, type Direction } from '../core/direction.js';
import type { PathSettings } from './path_settings.js';

interface Running {
  source: CapacitySource;
  /** Pairs of microseconds and bit/s that are not past, and the last one that is. */
  steps: number[];
  startUs: number | null;
  failed: boolean;
}

export class CapacityClock {
  /** A function failed: its last capacity stays. */
  onFailure: (error: Error) => void = () => undefined;
  readonly #running = new Map<Direction, Running>();

  constructor(private readonly nowUs: () => number) {}

  /** Capacities that are given replace what was running; their time begins with `start`. Throws ConfigError. */
  replace(settings: PathSettings): void {
    const shared = new Map<CapacitySource, Running>();
    for (const direction of DIRECTIONS) {
      const { capacity: source } = settings[direction];
      if (source === undefined) continue;
      const running = shared.get(source) ?? {
        source,
        steps: [...source.next(0)],
        startUs: null,
        failed: false,
      };
      shared.set(source, running);
      this.#running.set(direction, running);
    }
  }

  /** What has not begun begins now. */
  start(): void {
    for (const running of this.#running.values()) running.startUs ??= this.nowUs();
  }

  current(): Record<Direction, number> {
    return { forward: this.#now('forward'), backward: this.#now('backward') };
  }

  #now(direction: Direction): number {
    const running = this.#running.get(direction);
    if (running === undefined) return 0;
    const { steps, startUs } = running;
    if (startUs !== null) {
      const atUs = this.nowUs() - startUs;
      this.#ask(running, atUs);
      while (steps.length > 2 && (steps[2] ?? Infinity) <= atUs) steps.splice(0, 2);
    }
    return steps[1] ?? 0;
  }

  #ask(running: Running, atUs: number): void {
    if (!running.source.isEndless || running.failed) return;
    try {
      for (const value of running.source.next(atUs)) running.steps.push(value);
    } catch (error) {
      running.failed = true;
      this.onFailure(error instanceof Error ? error : new Error(String(error)));
    }
  }
}
