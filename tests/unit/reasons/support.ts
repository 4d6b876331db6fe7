/**
 * Traces for tests of the explanations of target changes: simulated traces, and traces with given target
 * rates.
 */
import type { Core, FlowOptions, SimulationOptions } from '../../../src/core/index.js';
import { tableSpec, type TableName } from '../../../src/core/schema.js';
import type { TargetChange } from '../../../src/reasons/index.js';
import { TraceData } from '../../../src/trace/index.js';

/** A link of 1.5 Mbps. From 30 s to 45 s, its capacity is less than half of this. */
export const FALLING: SimulationOptions['forward'] = {
  capacityBps: 1.5e6,
  oneWayDelayUs: 25e3,
  schedule: [
    { atUs: 30e6, capacityBps: 0.7e6 },
    { atUs: 45e6, capacityBps: 1.5e6 },
  ],
};

export const headerOf = (flow: FlowOptions): Record<string, unknown> => ({
  flows: [{ flow: 0, ...flow }],
});

/** The trace of a simulated minute of one flow. */
export function simulated(core: Core, flow: FlowOptions, forward = FALLING): TraceData {
  const simulation = core.createSimulation({
    durationUs: 60e6,
    forward,
    flows: [flow],
    trace: { tables: ['group', 'nada', 'lcc', 'rate', 'queue'], intervalUs: 200e3 },
  });
  simulation.runUntil(Infinity);
  const trace = new TraceData();
  for (const batch of simulation.drain()) trace.append(batch);
  simulation.destroy();
  return trace;
}

/** Appends a row. Columns without a given value get NaN; the column `flow` gets 0. */
export function addRow(trace: TraceData, table: TableName, values: Readonly<Record<string, number>>): void {
  const row = tableSpec(table).columns.map(({ name }) => values[name] ?? (name === 'flow' ? 0 : NaN));
  trace.appendRow(table, Float64Array.from(row));
}

/** A trace with these targets as rows of `rate`, ten per second. */
export function ratesOf(targetsBps: readonly number[]): TraceData {
  const trace = new TraceData();
  targetsBps.forEach((target_bps, i) => addRow(trace, 'rate', { time_us: i * 100e3, target_bps }));
  return trace;
}

export const textsOf = (changes: readonly TargetChange[]): string[] => changes.map(({ text }) => text);
