/**
 * Runs GCC's loss controller as a shadow of each media section of sent video. A shadow only watches. From the
 * losses that the far side reports and the round-trip time of the connection, the controller computes its
 * rate A_s as if it set the sending rate.
 */
import type { EndpointRecord, StatsSample } from '../calls/record/record.js';
import type { Core } from '../core/index.js';
import { Driver } from './driver.js';

/**
 * The flow number of the drivers' own rows. These rows are discarded: A_s is recorded in the rows of the
 * streams instead.
 */
const NO_FLOW = 0;

export class LossShadows {
  #core: Core | null = null;
  #isLoading = false;
  /** The drivers by endpoint, and by mid. */
  readonly #all = new Map<number, Map<string, Driver>>();

  constructor(private readonly load: () => Promise<Core>) {}

  /** Processes a sample of a connection. `sentBps` is the current sending rate of each media section, by mid. */
  see({ id }: EndpointRecord, sample: StatsSample, sentBps: ReadonlyMap<string, number>): void {
    for (const [mid, bps] of sentBps) {
      const driver = this.#of(id, mid, bps);
      if (driver === null) continue;
      driver.see(
        sample,
        sample.outbound.filter((stats) => stats.kind === 'video' && stats.mid === mid),
      );
      driver.takeRows();
    }
  }

  /** The rate A_s of a media section, in bit/s; NaN while unknown. */
  targetBps(endpoint: number, mid: string): number {
    const driver = this.#all.get(endpoint)?.get(mid);
    return driver === undefined || driver.hasFailed ? NaN : driver.targetBps;
  }

  /**
   * Returns the driver of a media section. It is created when the rate of the section is first known; until
   * then, this returns null.
   */
  #of(endpoint: number, mid: string, bps: number): Driver | null {
    const drivers = this.#all.get(endpoint) ?? new Map<string, Driver>();
    const known = drivers.get(mid);
    if (known !== undefined) return known;
    if (this.#core === null) this.#begin();
    if (this.#core === null || !(bps > 0)) return null;
    const driver = new Driver(this.#core, NO_FLOW, bps, false);
    this.#all.set(endpoint, drivers.set(mid, driver));
    return driver;
  }

  /** Loads the core. An error is ignored here, since the shadows of received streams report it. */
  #begin(): void {
    if (this.#isLoading) return;
    this.#isLoading = true;
    void this.load().then(
      (core) => (this.#core = core),
      () => undefined,
    );
  }

  /** To be called when a connection has ended. */
  end(endpoint: number): void {
    for (const driver of this.#all.get(endpoint)?.values() ?? []) driver.destroy();
    this.#all.delete(endpoint);
  }

  close(): void {
    for (const endpoint of this.#all.keys()) this.end(endpoint);
  }
}
