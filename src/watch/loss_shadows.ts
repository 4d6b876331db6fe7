/**
 * GCC's loss controller beside each sent media section of video: A_s as it would be if it decided, from the
 * losses and the round trip that the far side reports. It only watches.
 */
import type { EndpointRecord, StatsSample } from '../calls/record/record.js';
import type { Core } from '../core/index.js';
import { Driver } from './driver.js';

/** Its own rows are not used: its rate is part of the stream's rows. */
const NO_FLOW = 0;

export class LossShadows {
  #core: Core | null = null;
  #isLoading = false;
  /** By endpoint, and by media section. */
  readonly #all = new Map<number, Map<string, Driver>>();

  constructor(private readonly load: () => Promise<Core>) {}

  /** Takes a sample of a connection; `sentBps` is what each media section sends now, by its mid. */
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

  /** A_s of a media section, in bit/s; NaN while unknown. */
  targetBps(endpoint: number, mid: string): number {
    const driver = this.#all.get(endpoint)?.get(mid);
    return driver === undefined || driver.hasFailed ? NaN : driver.targetBps;
  }

  /** It starts at the first known rate. */
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

  /** The controllers beside received streams report a core that does not load. */
  #begin(): void {
    if (this.#isLoading) return;
    this.#isLoading = true;
    void this.load().then(
      (core) => (this.#core = core),
      () => undefined,
    );
  }

  /** A connection is gone. */
  end(endpoint: number): void {
    for (const driver of this.#all.get(endpoint)?.values() ?? []) driver.destroy();
    this.#all.delete(endpoint);
  }

  close(): void {
    for (const endpoint of this.#all.keys()) this.end(endpoint);
  }
}
