/** The runs of a plan: real calls, or the simulated calls of its twin (a simulation with the same settings). */
import { controllerFiles, loadControllerFile } from '../controllers/controllers.js';
import { interruptible } from '../interrupt.js';
import type { InputFile, Io } from '../io.js';
import { startServer, type LocalServer, type ServedController } from '../../server/server.js';
import { runTwin, TWIN } from '../twin/run.js';
import { runCall, type CallServer } from './run.js';
import type { Series } from './series.js';
import { prepareSource } from './source.js';
import type { CallPlan, TwinMachine } from './types.js';

/** The part of a report that depends only on the plan. */
function headOf(plan: CallPlan): Series['head'] {
  const { mode, controller, preset = null, set, codec, audio, link, durationMs } = plan;
  const { file: _, ...source } = plan.source;
  const sent = { source, codec, audio };
  return { mode, controller, preset, parameters: set, ...sent, link, duration_s: durationMs / 1e3 };
}

/** The real calls of ccscope's own page under one controller. */
export function realCalls(plan: CallPlan, server: CallServer): Series {
  return {
    head: headOf(plan),
    browser: '',
    runs: [],
    setAside: [],
    make: (context) => runCall(plan, server, context),
  };
}

/** The simulated calls under one controller. */
export function twinCalls(plan: CallPlan, machine: TwinMachine): Series {
  return {
    head: { ...headOf(plan), twin: true, machine },
    browser: TWIN,
    runs: [],
    setAside: [],
    make: (context) => runTwin(plan, machine, context),
  };
}

/**
 * Prepares real calls: creates the video files for the plans, and starts the local server, which also serves the
 * users' controllers of all plans. Throws UsageError, FailedRun.
 */
export async function openServer(plans: readonly CallPlan[], io: Io): Promise<LocalServer> {
  const sources = new Map(plans.map(({ source }) => [source.file, source]));
  for (const source of sources.values()) await interruptible((signal) => prepareSource(source, signal, io));
  return startServer({ controllers: await filesOf(plans) });
}

/** The files that the calls of these plans read: users' controllers and videos. */
export const inputsOf = (plans: readonly CallPlan[]): InputFile[] => [
  ...controllerFiles(plans.flatMap(({ files }) => files)),
  ...plans.flatMap(({ source: { file } }) => (file === null ? [] : [{ what: 'video', path: file }])),
];

/** The users' controllers of all plans, each bundled once. Throws UsageError. */
async function filesOf(plans: readonly CallPlan[]): Promise<ServedController[]> {
  const paths = new Map(plans.flatMap(({ files }) => files).map(({ name, path }) => [name, path]));
  const reading = [...paths].map(async ([name, path]) => ({ ...(await loadControllerFile(path)), name }));
  return Promise.all(reading);
}
