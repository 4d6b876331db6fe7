/**
 * Runs one cell once: simulates it, then measures. A page's worker, a Node worker and the command line share this
 * code.
 */
import type { Density } from '../core/density.js';
import type { TraceBatch } from '../core/recorder.js';
import type { TableName } from '../core/schema.js';
import type { SimulationOptions, WindowMetrics } from '../core/simulation.js';
import type { ControllerFault } from '../core/user_controller.js';
import { instantiate, selects, type CellParams } from './cells.js';
import { compile } from './compile.js';
import { quantitiesOf } from './measured.js';
import { measure, METRICS, quantityKey, selectedFlows } from './metrics.js';
import type { Quantity, Scenario } from './scenario.js';
import { TRACE_METRIC_TABLES, traceMetric, type TraceMetric } from './trace_metrics.js';

/** The part of the core that creates simulations. */
export interface Simulator {
  createSimulation(options: SimulationOptions): {
    readonly events: number;
    runUntil(us: number): void;
    metrics(): WindowMetrics[];
    /** The faults of users' controllers. Every call returns the same list, which grows during the simulation. */
    faults(): readonly ControllerFault[];
    drain(): TraceBatch[];
    density(flow: number): Density | null;
    destroy(): void;
  };
}

/** Which trace tables to record, and the interval of the periodic rows. */
export type TraceOptions = NonNullable<SimulationOptions['trace']>;

export interface RunOptions {
  /** The trace rows to record. Default: none. */
  trace?: TraceOptions;
  /**
   * Called about 20 times during the run with the simulated fraction, from 0 to 1. If it returns false, the run
   * stops.
   */
  progress?: (done: number) => boolean;
}

/** One step of a run: the simulation has advanced by an interval of virtual time. */
export interface RunStep {
  /** `timeUs`: the virtual time that has passed. `share`: `timeUs` as a fraction of the duration. */
  timeUs: number;
  share: number;
  /**
   * The rows since the last step with rows. Rows are fetched from the core only in some steps; in the other steps,
   * the list is empty.
   */
  batches: TraceBatch[];
}

/** The result of a simulation. */
export interface Simulated {
  windows: WindowMetrics[];
  events: number;
  /** The simulated virtual time. Less than the duration if the run was stopped. */
  timeUs: number;
  stopped: boolean;
  /**
   * The joint densities of rate and delay that the requested flows have learnt, by flow number. Only the
   * controller LCC learns a density.
   */
  densities: ReadonlyMap<number, Density>;
}

export interface CellRun extends Simulated {
  /** The measured values, by `quantityKey`. */
  values: Map<string, number>;
}

export interface RunResult extends CellRun {
  batches: TraceBatch[];
}

/** The seed of a scenario's run number `run`, counted from 0. */
export const seedOf = (scenario: Scenario, run: number): number => (scenario.seed ?? 1) + run;

const PROGRESS_STEPS = 20;
/** The longest step, in virtual time. The caller can stop the run after each step. */
const STEP_US = 1e6;
const MAX_DRAINS = 200;

/**
 * Runs a simulation in steps of virtual time, and yields after each step. Passing `false` to the generator
 * stops the run. The result contains the densities of the flows in `densitiesOf`. The order of the rows in a
 * trace depends on the times at which they are fetched from the core. To keep this order reproducible, these times
 * depend only on the options. In a long run, several steps pass between two fetches, so that a stop takes effect
 * soon. Throws a CoreError that names the option.
 */
export function* simulate(
  simulator: Simulator,
  options: SimulationOptions,
  densitiesOf: readonly number[] = [],
): Generator<RunStep, Simulated, boolean | undefined> {
  const simulation = simulator.createSimulation(options);
  try {
    const { durationUs } = options;
    const drained = (): TraceBatch[] => (options.trace === undefined ? [] : simulation.drain());
    const drains = Math.min(MAX_DRAINS, Math.max(1, Math.ceil(durationUs / STEP_US)));
    let timeUs = 0;
    let stopped = false;
    for (let drain = 1; drain <= drains && !stopped; drain++) {
      const untilUs = drain === drains ? durationUs : Math.round((durationUs * drain) / drains);
      do {
        timeUs = Math.min(untilUs, timeUs + STEP_US);
        simulation.runUntil(timeUs);
        const batches = timeUs === untilUs ? drained() : [];
        stopped = (yield { timeUs, share: timeUs / durationUs, batches }) === false && timeUs < durationUs;
      } while (timeUs < untilUs && !stopped);
    }
    if (stopped) yield { timeUs, share: timeUs / durationUs, batches: drained() };
    const densities = densitiesOf.flatMap((flow): [number, Density][] => {
      const density = simulation.density(flow);
      return density === null ? [] : [[flow, density]];
    });
    return {
      windows: simulation.metrics(),
      events: simulation.events,
      timeUs,
      stopped,
      densities: new Map(densities),
    };
  } finally {
    simulation.destroy();
  }
}

/**
 * Simulates one cell with one seed, in steps. The caller may keep the rows of a step, or transfer them to another
 * thread. Throws ConfigError, or CoreError that names the option.
 */
export function* simulateCell(
  simulator: Simulator,
  scenario: Scenario,
  cell: CellParams,
  seed: number,
  trace?: TraceOptions,
): Generator<RunStep, CellRun, boolean | undefined> {
  const instance = instantiate(scenario, cell);
  const quantities = quantitiesOf(scenario, cell);
  const traced = new TracedQuantities(instance, quantities);
  const tables = new Set([...(trace?.tables ?? []), ...traced.tables]);
  const options = {
    ...compile(instance, seed),
    ...(tables.size > 0 && { trace: { ...trace, tables: [...tables] } }),
  };
  const run = simulate(simulator, options, picturedDensities(scenario, instance, cell));
  try {
    let step = run.next();
    while (step.done !== true) {
      traced.observe(step.value.batches);
      step = run.next(yield step.value);
    }
    const { windows } = step.value;
    const values = quantities.map((quantity): [string, number] => {
      const key = quantityKey(quantity);
      return [key, traced.value(key) ?? measure(quantity, instance, windows)];
    });
    return { ...step.value, values: new Map(values) };
  } finally {
    run.return({ windows: [], events: 0, timeUs: 0, stopped: true, densities: new Map() });
  }
}

/** The flows whose densities appear in the cell's figures. */
function picturedDensities(scenario: Scenario, instance: Scenario, cell: CellParams): number[] {
  const pictures = (scenario.pictures ?? []).filter(({ cells }) => selects(cells, cell));
  return pictures.flatMap((picture) =>
    picture.kind === 'density' ? selectedFlows(instance, picture).flatMap(({ flows }) => flows) : [],
  );
}

/** The quantities that are computed from trace rows. */
class TracedQuantities {
  readonly #metrics: ReadonlyMap<string, TraceMetric>;

  constructor(scenario: Scenario, quantities: readonly Quantity[]) {
    const traced = quantities.filter(({ metric }) => METRICS.get(metric)?.scope === 'trace');
    this.#metrics = new Map(
      traced.map((quantity) => {
        const flows = selectedFlows(scenario, quantity).flatMap((group) => group.flows);
        return [quantityKey(quantity), traceMetric(quantity.metric, flows)];
      }),
    );
  }

  get tables(): readonly TableName[] {
    return this.#metrics.size > 0 ? TRACE_METRIC_TABLES : [];
  }

  observe(batches: readonly TraceBatch[]): void {
    for (const metric of this.#metrics.values()) metric.observe(batches);
  }

  /** The value of a quantity; undefined if it is not computed from trace rows. */
  value(key: string): number | undefined {
    return this.#metrics.get(key)?.value;
  }
}

/** Simulates one cell with one seed. Throws ConfigError, or CoreError that names the option. */
export function runCell(
  simulator: Simulator,
  scenario: Scenario,
  cell: CellParams,
  seed: number,
  { trace, progress }: RunOptions = {},
): RunResult {
  const run = simulateCell(simulator, scenario, cell, seed, trace);
  const batches: TraceBatch[] = [];
  let told = 0;
  let goOn: boolean | undefined;
  for (;;) {
    const step = run.next(goOn);
    if (step.done === true) return { ...step.value, batches };
    for (const batch of step.value.batches) batches.push(batch);
    const { share } = step.value;
    if (share < (told + 1) / PROGRESS_STEPS) continue;
    told = Math.floor(share * PROGRESS_STEPS);
    goOn = progress?.(share);
  }
}
