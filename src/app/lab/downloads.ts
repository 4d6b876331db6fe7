/** Saves a run or a network as files. */
import { version } from '../../../package.json';
import { codeIdentity } from '../../core/code_identity.js';
import type { Scenario } from '../../scenario/scenario.js';
import { traceHeader } from '../../scenario/trace_header.js';
import { replacedIn, type Run } from '../../runs/run.js';
import type { TraceStore } from '../../worker/trace/trace_client.js';
import { saveAs } from '../files.js';

/** Saves the trace of a run as a file of format v1. */
export async function downloadTrace(run: Run, store: TraceStore): Promise<void> {
  const { scenario, cell, seed } = run;
  const header = { ...(await codeIdentity(version)), ...traceHeader(scenario, cell, seed, replacedIn(run)) };
  saveAs(await store.exportNdjson(header), `${fileName(run)}.ndjson`);
}

/** Saves the metrics of a run that has ended. */
export async function downloadMetrics(run: Run): Promise<void> {
  if (run.result === null) return;
  const { scenario, cell, seed, controller, result } = run;
  const { windows, metrics, events, timeUs } = result;
  const own = controller === undefined ? {} : { controller: controller.name };
  const about = { scenario: scenario.id, cell, seed, ...own };
  const report = {
    ...(await codeIdentity(version)),
    ...about,
    simulated_us: timeUs,
    events,
    windows,
    metrics,
  };
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
