/**
 * The worker that runs a user's controller for a command. A worker can be terminated even if the controller's
 * code never returns.
 */
import { parentPort, workerData } from 'node:worker_threads';

import {
  loadCore,
  wasmController,
  type ControllerFault,
  type Core,
  type TraceBatch,
  type UserController,
} from '../../core/index.js';
import { placedIn } from '../../scenario/chosen_controller.js';
import {
  ControllerSimulator,
  instantiate,
  simulate,
  simulateCell,
  type RunStep,
} from '../../scenario/index.js';
import { Replayer, TraceReader } from '../../trace/index.js';
import { controllerOf } from '../../worker/guest/user_module.js';
import type { ControllerFile } from './controllers.js';
import type { Task, TaskResult, WorkerMessage, WorkerSetup } from './protocol.js';

const { controllers: files, memoryLimitBytes } = workerData as WorkerSetup;
/** How often progress is reported. Without reports, the command would terminate the controller. */
const PROGRESS_MS = 100;

const tell = (message: WorkerMessage): void => parentPort?.postMessage(message);

function fail(error: unknown): void {
  const { name, message } = error instanceof Error ? error : new Error(String(error));
  tell({ kind: 'failed', problem: { name, message } });
}

async function load(file: ControllerFile): Promise<UserController> {
  if (file.kind === 'wasm') return wasmController(file.bytes, { name: file.name, memoryLimitBytes });
  const address = `data:text/javascript;base64,${Buffer.from(file.bytes).toString('base64')}`;
  return controllerOf(await import(address), file.path);
}

/** Executes the tasks: runs, simulations, or a replay. */
class Tasks {
  readonly #core: Core;
  readonly #controllers: readonly UserController[];
  #replay: { reader: TraceReader; replayer: Replayer; result: TaskResult } | null = null;

  constructor(core: Core, controllers: readonly UserController[]) {
    this.#core = core;
    this.#controllers = controllers;
  }

  #controller(index = 0): UserController {
    const controller = this.#controllers[index];
    if (controller === undefined) throw new Error(`there is no controller ${index}`);
    return controller;
  }

  do(task: Task): TaskResult {
    switch (task.kind) {
      case 'run':
        return this.#run(task);
      case 'simulate':
        return this.#simulate(task);
      case 'replay':
        return this.#beginReplay(task);
      case 'piece':
        return this.#piece(task.bytes);
    }
  }

  #run({ scenario, cell, seed, trace, assigned }: Extract<Task, { kind: 'run' }>): TaskResult {
    const controllers = assigned.map(({ controller, ...rest }) => ({
      ...rest,
      controller: typeof controller === 'number' ? this.#controller(controller) : controller,
    }));
    const simulator = new ControllerSimulator(this.#core, placedIn(instantiate(scenario, cell), controllers));
    const { batches, end } = through(simulateCell(simulator, scenario, cell, seed, trace ?? undefined));
    return { ...nothing(), batches, values: end.values, faults: simulator.faults };
  }

  #simulate({ options }: Extract<Task, { kind: 'simulate' }>): TaskResult {
    const simulator = new ControllerSimulator(this.#core, [{ controller: this.#controller() }]);
    const { batches, end } = through(simulate(simulator, options));
    return { ...nothing(), batches, windows: end.windows, faults: simulator.faults };
  }

  #beginReplay({ file: name, flow, parameters }: Extract<Task, { kind: 'replay' }>): TaskResult {
    const result = nothing();
    const emit = (batch: TaskResult['batches'][number]): void => void result.batches.push(batch);
    const options = { controller: this.#controller(), file: name, flow, parameters, emit };
    const replayer = new Replayer(this.#core, options);
    this.#replay = { reader: new TraceReader(replayer, name), replayer, result };
    return nothing();
  }

  /** Returns the rows that this piece of the trace produced. */
  #piece(bytes: Uint8Array | null): TaskResult {
    if (this.#replay === null) throw new Error('no replay was started');
    const { reader, replayer, result } = this.#replay;
    if (bytes !== null) reader.push(bytes);
    else reader.end();
    if (bytes !== null) replayer.flush();
    else replayer.end();
    return {
      ...result,
      batches: result.batches.splice(0),
      arrivals: replayer.arrivals,
      faults: replayer.faults(),
    };
  }
}

const noFaults: readonly ControllerFault[] = [];
const nothing = (): TaskResult => ({
  values: new Map(),
  windows: [],
  batches: [],
  arrivals: 0,
  faults: noFaults,
});

/** Runs a simulation to its end, reports its progress, and collects its rows. */
function through<T>(run: Iterator<RunStep, T, boolean | undefined>): { batches: TraceBatch[]; end: T } {
  const batches: TraceBatch[] = [];
  let told = performance.now();
  for (;;) {
    const step = run.next();
    if (step.done === true) return { batches, end: step.value };
    for (const batch of step.value.batches) batches.push(batch);
    if (performance.now() - told < PROGRESS_MS) continue;
    told = performance.now();
    tell({ kind: 'progress', share: step.value.share });
  }
}

async function start(): Promise<void> {
  const controllers = await Promise.all(files.map(load));
  const tasks = new Tasks(await loadCore(), controllers);
  parentPort?.on('message', (task: Task) => {
    try {
      tell({ kind: 'done', result: tasks.do(task) });
    } catch (error) {
      fail(error);
    }
  });
  tell({ kind: 'ready', names: controllers.map(({ name }) => name) });
}

await start().catch(fail);
