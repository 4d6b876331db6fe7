/**
 * The schedule of a capacity that changes over time. Passes the next steps to a link ahead of time, and
 * reports the steps that have taken effect.
 */
import type { CapacityStep, CrossTraffic } from '../../core/link.js';
import type { CapacityChange } from '../../calls/record/record.js';
import type { CapacitySteps } from '../thread/protocol.js';

/** How much of a schedule is given to the core ahead of time. */
const AHEAD_US = 1e6;
/** The highest capacity that the core accepts with cross traffic (wasm/sim/loaded_link.h). */
const MOST_WITH_CROSS_BPS = 1e9;

/**
 * Limits capacities that are given while a schedule runs, for a direction with this cross traffic. The core would
 * refuse a higher capacity, but nobody waits for an answer about these capacities.
 */
export function limitedSteps(
  steps: CapacitySteps,
  { cubic = 0, newReno = 0 }: CrossTraffic = {},
): CapacitySteps {
  if (cubic + newReno === 0) return steps;
  return steps.map((value, i) => (i % 2 === 0 ? value : Math.min(value, MOST_WITH_CROSS_BPS)));
}

export class CapacitySchedule {
  /** Pairs of a time, counted from the start of the schedule, and a capacity. */
  #steps: number[] = [];
  /** The index of the first step that the core does not have yet. */
  #given = 0;
  /** The index of the first step that has not been reported yet. */
  #told = 0;
  #startUs: number | null = null;

  get startUs(): number | null {
    return this.#startUs;
  }

  /** Replaces the whole schedule; returns the capacity that applies from now on. */
  replace(steps: CapacitySteps, startUs: number | null): number {
    this.#steps = [...steps];
    this.#given = 1;
    this.#told = 1;
    this.#startUs = startUs;
    return steps[1] ?? 0;
  }

  extend(steps: CapacitySteps): void {
    for (const value of steps) this.#steps.push(value);
  }

  /** Starts the schedule now, unless it has already started. */
  start(nowUs: number): void {
    this.#startUs ??= nowUs;
  }

  /**
   * Returns all steps up to AHEAD_US ahead that have not taken effect yet. They replace the core's schedule, so they
   * include steps that the core already has. Returns null if there are no new steps for the core.
   */
  upcoming(nowUs: number): CapacityStep[] | null {
    const first = this.#given;
    this.#delayLateSteps(nowUs);
    while (this.#atUs(this.#given) <= nowUs + AHEAD_US) this.#given++;
    if (this.#given === first) return null;
    const ahead: CapacityStep[] = [];
    for (let i = this.#told; i < this.#given; i++) {
      // A step that the core was given earlier has taken effect at its time, even if nobody has asked for it yet.
      if (i < first && this.#atUs(i) <= nowUs) continue;
      ahead.push({ atUs: this.#atUs(i), capacityBps: this.#bps(i) });
    }
    return ahead;
  }

  /** Returns the steps that have taken effect since the last call. */
  passed(nowUs: number): CapacityChange[] {
    const changes: CapacityChange[] = [];
    for (; this.#told < this.#given && this.#atUs(this.#told) <= nowUs; this.#told++) {
      changes.push({ timeUs: this.#atUs(this.#told), capacityBps: this.#bps(this.#told) });
    }
    this.#forget();
    return changes;
  }

  /** The highest capacity of the steps that have not taken effect yet; 0 if there are none. */
  highestAhead(nowUs: number): number {
    let highestBps = 0;
    for (let i = this.#told; 2 * i < this.#steps.length; i++)
      if (i >= this.#given || this.#atUs(i) > nowUs) highestBps = Math.max(highestBps, this.#bps(i));
    return highestBps;
  }

  /**
   * Returns the current capacity if it has changed since the last call, otherwise undefined. To be used for a link
   * that does not accept steps ahead of time.
   */
  advance(nowUs: number): number | undefined {
    this.upcoming(nowUs);
    return this.passed(nowUs).at(-1)?.capacityBps;
  }

  /**
   * Steps are late if the process was suspended for longer than AHEAD_US, or if they were added late. The core has
   * already computed the time since then at the old capacity. So the last one of them takes effect now, and the others
   * never do.
   */
  #delayLateSteps(nowUs: number): void {
    let last = this.#given;
    while (this.#atUs(last + 1) <= nowUs) last++;
    this.#steps.splice(2 * this.#given, 2 * (last - this.#given));
    if (this.#startUs !== null && this.#atUs(this.#given) < nowUs)
      this.#steps[2 * this.#given] = nowUs - this.#startUs;
  }

  /** When step i takes effect; Infinity if there is no such step. */
  #atUs(i: number): number {
    const atUs = this.#steps[2 * i];
    return atUs === undefined || this.#startUs === null ? Infinity : this.#startUs + atUs;
  }

  #bps(i: number): number {
    return this.#steps[2 * i + 1] ?? 0;
  }

  #forget(): void {
    if (this.#told < 1024) return;
    this.#steps.splice(0, 2 * this.#told);
    this.#given -= this.#told;
    this.#told = 0;
  }
}
