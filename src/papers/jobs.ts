/** The jobs of the worker pool, and their results. Each job is one run of one cell. */
import type { Density } from '../core/density.js';
import type { TraceBatch } from '../core/recorder.js';
import type { SimulationOptions } from '../core/simulation.js';
import {
  cellKey,
  cellsOf,
  compile,
  instantiate,
  picturedTables,
  seedOf,
  selects,
  type CellParams,
  type Scenario,
} from '../scenario/index.js';

/** One run of one cell, in the form in which a worker receives it. */
export interface Job {
  scenario: Scenario;
  params: CellParams;
  /** Index of the cell in the scenario. */
  cell: number;
  /** Index of the run within the cell. */
  run: number;
  seed: number;
  /** Which trace rows to return; null for none. */
  trace: NonNullable<SimulationOptions['trace']> | null;
  /** The virtual time to simulate. */
  durationUs: number;
  /** The estimated run time relative to other jobs, in any unit. */
  cost: number;
}

/** The results of one run. */
export interface RunValues {
  /** The measured values, by `quantityKey`. */
  values: ReadonlyMap<string, number>;
  trace: TraceBatch[];
  /** The joint densities that flows have learnt, by flow number. Contains only flows whose density is drawn. */
  densities: ReadonlyMap<number, Density>;
  /** The wall-clock time of the simulation in the worker. */
  seconds: number;
}

/** Why a run failed. */
export interface RunFailure {
  /** `CoreError` for refused options, `CoreFailure` for a trap in the core, … */
  name: string;
  message: string;
}

export type Outcome<R> = { result: R } | { failure: RunFailure };
export type RunOutcome = Outcome<RunValues>;

const PACKET_BITS = 12_000;
/** The estimated cost of a flow's frames, feedback and probes, in packets per second. */
const FLOW_EVENTS_PER_S = 60;

/** Estimates roughly how many packets a simulation carries. Its run time is about proportional to this number. */
export function estimatedCost({ durationUs, forward, backward, flows }: SimulationOptions): number {
  const mean = (path: typeof forward | undefined): number => {
    const rates = [path?.capacityBps ?? 0, ...(path?.schedule ?? []).map((step) => step.capacityBps)];
    return rates.reduce((sum, rate) => sum + rate, 0) / rates.length;
  };
  const packetsPerS = (mean(forward) + mean(backward)) / PACKET_BITS;
  return (durationUs / 1e6) * (packetsPerS + flows.length * FLOW_EVENTS_PER_S);
}

/** Rows for a figure are recorded at most at this many points in time. More would make no visible difference. */
const MOST_INTERVALS = 1500;
const SHORTEST_INTERVAL_US = 200_000;

/** What to record in the first run of a cell for the scenario's figures. */
function pictureTrace(scenario: Scenario, params: CellParams, durationUs: number): Job['trace'] {
  const pictures = (scenario.pictures ?? []).filter(({ cells }) => selects(cells, params));
  const tables = picturedTables({ ...scenario, pictures });
  if (tables.length === 0) return null;
  return { tables, intervalUs: Math.max(SHORTEST_INTERVAL_US, durationUs / MOST_INTERVALS) };
}

/** The costs of the cells. Cells that differ only along logarithmic axes are assumed to have the same cost. */
class Sizes {
  readonly #known = new Map<string, { cost: number; durationUs: number }>();
  readonly #axes: ReadonlySet<string>;

  constructor(private readonly scenario: Scenario) {
    const axes = (scenario.axes ?? []).filter(({ log }) => log !== undefined);
    this.#axes = new Set(axes.map(({ name }) => name));
  }

  of(params: CellParams): { cost: number; durationUs: number } {
    const key = cellKey(Object.fromEntries(Object.entries(params).filter(([axis]) => !this.#axes.has(axis))));
    const known = this.#known.get(key);
    if (known !== undefined) return known;
    const options = compile(instantiate(this.scenario, params), seedOf(this.scenario, 0));
    const size = { cost: estimatedCost(options), durationUs: options.durationUs };
    this.#known.set(key, size);
    return size;
  }
}

export interface JobOptions {
  /** The number of runs of each cell. Default: the scenario's. */
  runs?: number;
  /** The seed of the first run. Default: the scenario's. */
  seed?: number;
  /** Whether to record the data for figures. Default false. */
  pictures?: boolean;
}

/** All runs of all cells. In every cell, run i has the first run's seed plus i. Throws ConfigError. */
export function jobsOf(original: Scenario, { runs, seed, pictures = false }: JobOptions = {}): Job[] {
  const scenario = seed === undefined ? original : { ...original, seed };
  const count = runs ?? scenario.runs ?? 1;
  const sizes = new Sizes(scenario);
  return cellsOf(scenario).flatMap((params, cell) => {
    const { cost, durationUs } = sizes.of(params);
    const trace = pictures ? pictureTrace(scenario, params, durationUs) : null;
    return Array.from({ length: count }, (_, run) => ({
      scenario,
      params,
      cell,
      run,
      seed: seedOf(scenario, run),
      trace: run === 0 ? trace : null,
      durationUs,
      cost,
    }));
  });
}
