/** Saves a run or a network as files. */
import type { Scenario } from '../../scenario/scenario.js';
import { traceHeader } from '../../scenario/trace_header.js';
import type { Run } from '../../runs/run.js';
import type { TraceStore } from '../../worker/trace/trace_client.js';
import { saveAs } from '../files.js';

/** Saves the trace of a run as a file of format v1. */
export async function downloadTrace(run: Run, store: TraceStore): Promise<void> {
  const { scenario, cell, seed } = run;
  const header = { created: new Date().toISOString(), ...traceHeader(scenario, cell, seed) };
  saveAs(await store.exportNdjson(header), `${fileName(run)}.ndjson`);
}

/** Saves the metrics of a run that has ended. */
export function downloadMetrics(run: Run): void {
  if (run.result === null) return;
  const { scenario, cell, seed, result } = run;
  const { windows, metrics, events, timeUs } = result;
  const report = { scenario: scenario.id, cell, seed, simulated_us: timeUs, events, windows, metrics };
  saveAs(json(report), `${fileName(run)}-metrics.json`);
}

/** Saves a network as a scenario file. */
export function downloadScenario(network: Scenario, seed: number): void {
  saveAs(json({ ...network, seed }), `${network.id}.json`);
}

const json = (value: unknown): Blob =>
  new Blob([`${JSON.stringify(value, null, 2)}\n`], { type: 'application/json' });

const fileName = ({ scenario, cell, seed }: Run): string =>
  ['ccscope', scenario.id, ...Object.values(cell), `seed${seed}`].join('-');
