/**
 * Watches a machine: decides from each second's quantities whether it is overloaded, which quantities show
 * that, and since when.
 */
import {
  KEPT_US,
  LIMITS,
  OVERLOADED_SHARE,
  QUANTITIES,
  reaches,
  WINDOW_SECONDS,
  worse,
  type Quantity,
} from './definition.js';

/** Why a machine counts as overloaded. */
export interface Reason {
  by: Quantity;
  /** The median over the last WINDOW_SECONDS, in the quantity's unit. */
  value: number;
  /** The limit that the median reached. */
  limit: number;
}

export interface MachineState {
  overloaded: boolean;
  /** The time of the first bad second; null while the machine is not overloaded. */
  sinceUs: number | null;
  /** The quantities for which the machine counts as overloaded now. */
  reasons: readonly Reason[];
  /** The share of the watched time in which the machine was overloaded, 0 to 1. */
  share: number;
  /** The quantities for which the machine counted as overloaded at any time. */
  everBy: readonly Quantity[];
  /** The worst median of each quantity over WINDOW_SECONDS; null until that many seconds were measured. */
  worst: Readonly<Record<Quantity, number | null>>;
}

/** Whether the measurements of the watched time reflect the machine rather than the network. */
export const isOverloaded = ({ share }: Pick<MachineState, 'share'>): boolean => share >= OVERLOADED_SHARE;

interface Second {
  timeUs: number;
  value: number;
}

function median(seconds: readonly Second[]): number {
  const sorted = seconds.map(({ value }) => value).sort((a, b) => a - b);
  return sorted[sorted.length >> 1] ?? NaN;
}

/** The latest seconds of one quantity, and the alarm that they raise. */
class Gauge {
  #seconds: Second[] = [];
  #worst: number | null = null;
  #alarm: { reason: Reason; sinceUs: number } | null = null;

  constructor(private readonly by: Quantity) {}

  get alarm(): { reason: Reason; sinceUs: number } | null {
    return this.#alarm;
  }

  get worst(): number | null {
    return this.#worst;
  }

  see(timeUs: number, value: number): void {
    this.#seconds.push({ timeUs, value });
    if (this.#seconds.length > WINDOW_SECONDS) this.#seconds.shift();
    if (this.#seconds.length < WINDOW_SECONDS) return;
    const { by } = this;
    const { begin, end } = LIMITS[by];
    const middle = median(this.#seconds);
    this.#worst = worse(by, this.#worst, middle);
    if (this.#alarm === null ? !reaches(by, middle, begin) : reaches(by, end, middle)) {
      this.#alarm = null;
      return;
    }
    const first = this.#seconds.find((second) => reaches(by, second.value, begin));
    const sinceUs = this.#alarm?.sinceUs ?? first?.timeUs ?? timeUs;
    this.#alarm = { reason: { by, value: middle, limit: begin }, sinceUs };
  }

  /** Drops seconds that are too old; if no second is left, the alarm ends. */
  forget(nowUs: number): void {
    this.#seconds = this.#seconds.filter(({ timeUs }) => nowUs - timeUs < KEPT_US);
    if (this.#seconds.length === 0) this.#alarm = null;
  }
}

export class MachineWatch {
  readonly #gauges = new Map(QUANTITIES.map((by) => [by, new Gauge(by)]));
  readonly #everBy = new Set<Quantity>();
  #fromUs: number | null = null;
  #nowUs = 0;
  #overloadedUs = 0;

  /**
   * Records a quantity's value over the second that ends at `timeUs` (microseconds on any clock). NaN is ignored.
   * A lateness of callbacks of more than a second also counts for the seconds before.
   */
  see(by: Quantity, timeUs: number, value: number): void {
    this.#advance(timeUs);
    if (Number.isNaN(value)) return;
    const gauge = this.#gauges.get(by);
    // While a callback is late by seconds, no other value is measured, so each of these seconds is as bad. A pause that
    // is longer than values are kept says that the machine slept.
    let ago = (by === 'callbacks' && value < KEPT_US / 1e3 ? Math.round(value / 1e3) : 0) || 1;
    while (ago-- > 0) gauge?.see(timeUs - ago * 1e6, value);
    if (gauge?.alarm) this.#everBy.add(by);
  }

  #advance(timeUs: number): void {
    this.#fromUs ??= timeUs;
    const passedUs = timeUs - Math.max(this.#fromUs, this.#nowUs);
    if (passedUs > 0 && this.state.overloaded) this.#overloadedUs += passedUs;
    this.#nowUs = Math.max(this.#nowUs, timeUs);
    for (const gauge of this.#gauges.values()) gauge.forget(this.#nowUs);
  }

  get state(): MachineState {
    const alarms = [...this.#gauges.values()].flatMap(({ alarm }) => (alarm === null ? [] : [alarm]));
    const worst = Object.fromEntries([...this.#gauges].map(([by, gauge]) => [by, gauge.worst]));
    const watchedUs = this.#nowUs - (this.#fromUs ?? this.#nowUs);
    return {
      overloaded: alarms.length > 0,
      sinceUs: alarms.length === 0 ? null : Math.min(...alarms.map(({ sinceUs }) => sinceUs)),
      reasons: alarms.map(({ reason }) => reason),
      share: watchedUs > 0 ? this.#overloadedUs / watchedUs : 0,
      everBy: QUANTITIES.filter((by) => this.#everBy.has(by)),
      worst: worst as MachineState['worst'],
    };
  }
}
