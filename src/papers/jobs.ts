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

/** One run of one cell, as a worker gets it. */
export interface Job {
  scenario: Scenario;
  params: CellParams;
  /** Index of the cell in the scenario. */
  cell: number;
  /** Index of the run within the cell. */
  run: number;
  seed: number;
  /** The trace rows to return. */
  trace: NonNullable<SimulationOptions['trace']> | null;
  /** The virtual time that the run simulates. */
  durationUs: number;
  /** How long the run takes relative to other jobs; the unit does not matter. */
  cost: number;
}

/** The results of one run. */
export interface RunValues {
  /** The measured values, by `quantityKey`. */
  values: ReadonlyMap<string, number>;
  trace: TraceBatch[];
  /** The densities that flows have learnt, by flow number. Contains only flows whose density is drawn. */
  densities: ReadonlyMap<number, Density>;
  /** The wall-clock time that the worker took. */
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
/** The estimated cost of a flow per second, in addition to its packets: its frames, feedback and probes. */
const FLOW_EVENTS_PER_S = 60;

/** A rough estimate of the packets that a simulation carries, to which its run time is proportional. */
export function estimatedCost({ durationUs, forward, backward, flows }: SimulationOptions): number {
  const mean = (path: typeof forward | undefined): number => {
    const rates = [path?.capacityBps ?? 0, ...(path?.schedule ?? []).map((step) => step.capacityBps)];
    return rates.reduce((sum, rate) => sum + rate, 0) / rates.length;
  };
  const packetsPerS = (mean(forward) + mean(backward)) / PACKET_BITS;
  return (durationUs / 1e6) * (packetsPerS + flows.length * FLOW_EVENTS_PER_S);
}

/** The largest number of times at which rows are recorded for a picture. More would make no visible difference. */
const MOST_INTERVALS = 1500;
const SHORTEST_INTERVAL_US = 200_000;

/** What to record in a cell's first run for the scenario's pictures. */
function pictureTrace(scenario: Scenario, params: CellParams, durationUs: number): Job['trace'] {
  const pictures = (scenario.pictures ?? []).filter(({ cells }) => selects(cells, params));
  const tables = picturedTables({ ...scenario, pictures });
  if (tables.length === 0) return null;
  return { tables, intervalUs: Math.max(SHORTEST_INTERVAL_US, durationUs / MOST_INTERVALS) };
}

/** The costs of the cells. Cells that only differ along logarithmic axes are assumed to cost the same. */
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
  /** Runs of each cell; default: the scenario's. */
  runs?: number;
  /** Seed of the first run instead of the scenario's. */
  seed?: number;
  /** Whether to record what pictures need. Default false. */
  pictures?: boolean;
}

/** All runs of all cells. Run i has the scenario's seed plus i, in every cell. Throws ConfigError. */
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
