/** Runs a network once for each value of one numeric setting, and keeps the data for a small chart of each run. */
import { signal } from '@preact/signals';

import type { WindowMetrics } from '../../../core/simulation.js';
import type { Scenario } from '../../../scenario/scenario.js';
import { TraceData, unpackBatches } from '../../../trace/index.js';
import { SimulationWorker } from '../../../worker/simulation/simulation_client.js';
import type { ControllerModule } from '../../../worker/simulation/simulation_protocol.js';
import { described, type FlowInfo } from '../../../runs/run.js';
import { sweepables, sweepValues, type Sweepable } from './sweepable.js';

/** A line of a small chart. Times are in seconds. */
export interface Line {
  timeS: readonly number[];
  values: readonly number[];
}

/**
 * The largest value of any line, and at least `least`. NaN is ignored. Runs with a hundred flows have more values than
 * Math.max accepts as arguments.
 */
export function largest(lines: readonly Line[], least: number): number {
  let top = least;
  for (const { values } of lines) for (const value of values) if (value > top) top = value;
  return top;
}

/** The result for one value of a sweep. */
export interface Swept {
  value: number;
  whole: WindowMetrics;
  flows: readonly FlowInfo[];
  durationS: number;
  /** The rate that each flow received, bit/s, by the flow's number. */
  rates: ReadonlyMap<number, Line>;
  queueDelayMs: Line;
}

export interface SweepRequest {
  network: Scenario;
  seed: number;
  controller?: ControllerModule;
  swept: Sweepable;
}

/** Whether `other` equals the network of the sweep, apart from the value of the swept setting. */
export function isSameButSwept({ network, swept }: SweepRequest, other: Scenario): boolean {
  const found = sweepables(other).find(({ id }) => id === swept.id);
  if (found === undefined) return false;
  const [was, is] = [swept.edit(found.now)(network), found.edit(found.now)(other)];
  return JSON.stringify(was) === JSON.stringify(is);
}

/** A range of values of a sweep for which all runs are the same. */
export interface Alike {
  from: number;
  to: number;
}

/**
 * Finds the values at the low end and at the high end of a sweep for which all runs are the same. Returns the longer
 * of these two ranges, or null if that range has fewer than two values.
 */
export function alike(results: readonly Swept[]): Alike | null {
  const told = results.map(({ whole }) => JSON.stringify(whole));
  const fromStart = told.findIndex((text) => text !== told[0]);
  const upTo = fromStart < 0 ? told.length : fromStart;
  const since = told.findLastIndex((text) => text !== told.at(-1)) + 1;
  const same = upTo >= told.length - since ? results.slice(0, upTo) : results.slice(since);
  const [first, last] = [same[0], same.at(-1)];
  return first && last && same.length > 1 ? { from: first.value, to: last.value } : null;
}

const INTERVAL_US = 500e3;
/** The largest number of points in a line: a small chart has no room for more. */
const POINTS = 160;

function lineOf(
  trace: TraceData,
  query: Parameters<TraceData['view']>[0],
  column: string,
  scale: number,
): Line {
  const { columns } = trace.view({ ...query, columns: [column], maxPoints: POINTS });
  return {
    timeS: Array.from(columns['time_us'] ?? [], (us) => us / 1e6),
    values: Array.from(columns[column] ?? [], (value) => value * scale),
  };
}

export class Sweep {
  /** The network of the latest sweep, and the setting that the sweep varies; null if there is no sweep to show. */
  readonly request = signal<SweepRequest | null>(null);
  readonly results = signal<readonly Swept[]>([]);
  /** The number of values that are still to be simulated; 0 if no sweep runs. */
  readonly left = signal(0);
  readonly #worker = new SimulationWorker();
  #abort: AbortController | null = null;
  #ended: Promise<void> = Promise.resolve();

  /** Ends a sweep and drops its results. */
  clear(): void {
    this.#abort?.abort();
    this.#abort = null;
    this.request.value = null;
    this.results.value = [];
    this.left.value = 0;
  }

  /** Starts a sweep, and cancels one that is under way. Rejects with SimulationError. */
  async run(request: SweepRequest): Promise<void> {
    this.clear();
    const abort = new AbortController();
    this.#abort = abort;
    const values = sweepValues(request.swept);
    this.request.value = request;
    this.left.value = values.length;
    const before = this.#ended;
    let free = (): void => undefined;
    this.#ended = new Promise((resolve) => (free = resolve));
    try {
      await before;
      for (const value of values) {
        const swept = await this.#one(request, value, abort.signal);
        if (abort.signal.aborted) return;
        this.results.value = [...this.results.peek(), swept];
        this.left.value -= 1;
      }
    } catch (error) {
      if (!abort.signal.aborted) {
        this.clear();
        throw error;
      }
    } finally {
      free();
    }
  }

  async #one(
    { network, seed, controller, swept }: SweepRequest,
    value: number,
    signal: AbortSignal,
  ): Promise<Swept> {
    const scenario = swept.edit(value)(network);
    const request = { scenario, cell: {}, seed, ...(controller && { controller }) };
    const { flows, durationUs } = described(await this.#worker.plan(request));
    const trace = new TraceData();
    const tables = ['throughput', 'queue'] as const;
    const { windows } = await this.#worker.run(
      { ...request, trace: { tables: [...tables], intervalUs: INTERVAL_US } },
      {
        signal,
        onProgress: ({ rows }) => {
          for (const batch of unpackBatches(rows)) trace.append(batch);
        },
      },
    );
    const [whole] = windows;
    if (whole === undefined) throw new Error('the run returned no metrics');
    const rates = flows.map(({ flow }): [number, Line] => {
      const where = { column: 'flow', value: flow };
      return [flow, lineOf(trace, { table: 'throughput', where, columns: [] }, 'received_bps', 1)];
    });
    const where = { column: 'link', value: 0 };
    const queueDelayMs = lineOf(trace, { table: 'queue', where, columns: [] }, 'queue_delay_us', 1e-3);
    return { value, whole, flows, durationS: durationUs / 1e6, rates: new Map(rates), queueDelayMs };
  }
}
