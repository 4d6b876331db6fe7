/** One run of one cell: simulate, then measure. The same in a page's worker, a Node worker and the command line. */
import type { TraceBatch } from '../core/recorder.js';
import type { SimulationOptions, WindowMetrics } from '../core/simulation.js';
import { instantiate, type CellParams } from './cells.js';
import { compile } from './compile.js';
import { measure, METRICS, quantityKey, selectedFlows } from './metrics.js';
import type { Quantity, Scenario } from './scenario.js';
import { traceMetric } from './trace_metrics.js';
import { quantitiesOf } from './verdict.js';

/** What makes simulations: the core. */
export interface Simulator {
  createSimulation(options: SimulationOptions): {
    readonly events: number;
    runUntil(us: number): void;
    metrics(): WindowMetrics[];
    drain(): TraceBatch[];
    destroy(): void;
  };
}

export interface RunOptions {
  /** Trace rows to keep; none when left out. */
  trace?: NonNullable<SimulationOptions['trace']>;
  /** Called with the simulated share, 0 to 1; false stops the run. */
  progress?: (done: number) => boolean;
}

export interface RunResult {
  /** By `quantityKey`. */
  values: Map<string, number>;
  windows: WindowMetrics[];
  batches: TraceBatch[];
  events: number;
  stopped: boolean;
}

/** Seed of a scenario's nth run, counted from 0. */
export const seedOf = (scenario: Scenario, run: number): number => (scenario.seed ?? 1) + run;

const SLICES = 20;

/** Simulates one cell with one seed. Throws ConfigError, or CoreError that names the option. */
export function runCell(
  simulator: Simulator,
  scenario: Scenario,
  cell: CellParams,
  seed: number,
  { trace, progress }: RunOptions = {},
): RunResult {
  const instance = instantiate(scenario, cell);
  const quantities = quantitiesOf(scenario, cell);
  const traced = quantities.filter(({ metric }) => METRICS.get(metric)?.scope === 'trace');
  const options = compile(instance, seed);
  const tables = new Set([...(trace?.tables ?? []), ...(traced.length > 0 ? (['group'] as const) : [])]);
  const simulation = simulator.createSimulation({
    ...options,
    ...(tables.size > 0 && { trace: { ...trace, tables: [...tables] } }),
  });
  try {
    const batches: TraceBatch[] = [];
    let stopped = false;
    for (let slice = 1; slice <= SLICES && !stopped; slice++) {
      simulation.runUntil((options.durationUs * slice) / SLICES);
      if (tables.size > 0) batches.push(...simulation.drain());
      stopped = progress?.(slice / SLICES) === false;
    }
    const windows = simulation.metrics();
    const valueOf = (quantity: Quantity): number =>
      traced.includes(quantity)
        ? traceMetric(
            quantity.metric,
            batches,
            new Set(selectedFlows(instance, quantity).flatMap((g) => g.flows)),
          )
        : measure(quantity, instance, windows);
    const values = new Map(quantities.map((quantity) => [quantityKey(quantity), valueOf(quantity)]));
    return { values, windows, batches, events: simulation.events, stopped };
  } finally {
    simulation.destroy();
  }
}
