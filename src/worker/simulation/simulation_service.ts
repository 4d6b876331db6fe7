/**
 * The code that runs in the simulation worker. It runs one simulation at a time, in slices. Between slices,
 * it can receive a request to stop.
 */
import {
  CoreError,
  loadCore,
  type Core,
  type SimulationOptions,
  type TableName,
  type TraceBatch,
  type WasmSource,
} from '../../core/index.js';
import {
  cellsOf,
  compile,
  ConfigError,
  ControllerSimulator,
  flowNumbers,
  instantiate,
  judgeBy,
  ONE_RUN,
  parseScenario,
  seedOf,
  simulate,
  simulateCell,
  type CellParams,
  type CellRun,
  type MetricResult,
  type RunStep,
  type Scenario,
  type Simulated,
  type Simulator,
} from '../../scenario/index.js';
import { parseJson } from '../../text/json_text.js';
import { packBatches } from '../../trace/index.js';
import { loadUserModule } from '../guest/user_module.js';
import type {
  Answer,
  CheckedScenario,
  SimulationProblem,
  SimulationProgress,
  SimulationRequest,
  SimulationResult,
} from './simulation_protocol.js';

/** The length of a slice. After a slice, the worker handles messages, such as a request to stop. */
const SLICE_MS = 25;
/** The shortest time between two reports of progress. */
const REPORT_MS = 80;

type Run = Generator<RunStep, Simulated | CellRun, boolean | undefined>;

export class SimulationService {
  readonly #wasm: WasmSource | undefined;
  #core: Promise<Core> | null = null;
  #cancelled = false;

  constructor(wasm?: WasmSource) {
    this.#wasm = wasm;
  }

  /** Checks a scenario: an object, or the text of its file. Also begins to load the core, for the run that follows. */
  check(input: unknown): Answer<CheckedScenario> {
    // A run reports the failure.
    this.#load().catch(() => undefined);
    return this.#answer(() => {
      const scenario = parseScenario(typeof input === 'string' ? parseJson(input, 'scenario') : input);
      return { scenario, cells: cellsOf(scenario) };
    });
  }

  /** The simulator's options for a request. For a scenario, they do not contain `trace`. */
  plan(request: SimulationRequest): Answer<SimulationOptions> {
    return this.#answer(() => {
      if ('options' in request) return request.options;
      const { scenario, cell, seed } = chosen(request);
      return compile(instantiate(scenario, cell), seed);
    });
  }

  /**
   * Runs a simulation. Passes the trace rows to `report` in order, and calls `report` again only when what it returned
   * has resolved. The simulation does not wait for it, so a busy page does not slow it down. Resolves when all rows
   * have been reported.
   */
  async run(
    request: SimulationRequest,
    report: (progress: SimulationProgress) => unknown,
  ): Promise<Answer<SimulationResult>> {
    this.#cancelled = false;
    const began = performance.now();
    try {
      const core = await this.#load();
      const simulator = await this.#simulator(core, request);
      const { run, tables, metricsOf } = started(simulator, request);
      const { stopped, ...done } = await this.#drive(run, tables, report);
      const { windows, events, timeUs, densities } = done;
      const values = 'values' in done && !stopped ? done.values : new Map<string, number>();
      const metrics = metricsOf(values);
      const elapsedMs = performance.now() - began;
      const faults = simulator instanceof ControllerSimulator ? [...simulator.faults] : [];
      const numbers = { windows, metrics, values, densities };
      return { ok: true, result: { ...numbers, events, timeUs, elapsedMs, cancelled: stopped, faults } };
    } catch (error) {
      return { ok: false, problem: this.#problem(error) };
    }
  }

  async #simulator(core: Core, request: SimulationRequest): Promise<Simulator> {
    const { controller } = request;
    if (controller === undefined) return core;
    const only = numbersOf(controller.flows, request);
    try {
      const module = await loadUserModule(controller.url, { name: controller.name });
      return new ControllerSimulator(core, [{ controller: module, only }]);
    } catch (error) {
      throw new ControllerProblem(messageOf(error));
    }
  }

  /** Stops the run after the slice that is being simulated. The result covers the time simulated so far. */
  cancel(): void {
    this.#cancelled = true;
  }

  #answer<T>(work: () => T): Answer<T> {
    try {
      return { ok: true, result: work() };
    } catch (error) {
      return { ok: false, problem: this.#problem(error) };
    }
  }

  #load(): Promise<Core> {
    return (this.#core ??= loadCore(this.#wasm).catch((error: unknown) => {
      this.#core = null;
      throw new LoadError(messageOf(error));
    }));
  }

  async #drive(
    run: Run,
    tables: Started['tables'],
    report: (progress: SimulationProgress) => unknown,
  ): Promise<Simulated | CellRun> {
    const reports = new Reports(report);
    let sliceBegan = performance.now();
    let last: RunStep = { timeUs: 0, share: 0, batches: [] };
    let step = run.next();
    for (; step.done !== true; step = run.next(!this.#cancelled)) {
      last = step.value;
      reports.add({ ...last, batches: last.batches.filter(({ table }) => tables.has(table)) });
      if (performance.now() - sliceBegan < SLICE_MS) continue;
      await nextMessage();
      sliceBegan = performance.now();
    }
    await reports.end(last);
    return step.value;
  }

  #problem(error: unknown): SimulationProblem {
    if (error instanceof ConfigError) {
      const { field, expected, got, fix, message } = error;
      return { kind: 'scenario', message, field, expected, got, fix };
    }
    if (error instanceof CoreError) {
      const field = error.field === undefined ? {} : { field: error.field };
      return { kind: 'scenario', message: error.message, ...field, fix: 'correct this value' };
    }
    if (error instanceof LoadError) {
      const fix =
        'reload the page; if that does not help, check that the browser is online and that the server still has this file';
      return { kind: 'core', message: error.message, fix };
    }
    if (error instanceof ControllerProblem) {
      const fix = error.message.includes('SyntaxError')
        ? 'correct the file; if it is TypeScript, remove the types, because browsers run only JavaScript'
        : 'correct the file, or choose another; public/controllers/README.md has an example';
      return { kind: 'controller', message: error.message, field: 'controller', fix };
    }
    // After a trap, the state of the core's memory is unknown. The next run therefore loads a new core.
    this.#core = null;
    const fix = 'run it again; if it fails again, report the scenario, the cell and the seed';
    return { kind: 'fault', message: `the simulator broke down: ${messageOf(error)}`, fix };
  }
}

/** Reports the rows of a run, one report at a time. */
class Reports {
  readonly #beganMs = performance.now();
  #batches: TraceBatch[] = [];
  /** Settles when the last report has been handled. */
  #handling: Promise<void> = Promise.resolve();
  #isHandled = true;
  #lastMs = this.#beganMs;

  constructor(private readonly report: (progress: SimulationProgress) => unknown) {}

  /** Reports the step together with the earlier ones, or keeps its rows for a later report. */
  add(step: RunStep): void {
    this.#batches.push(...step.batches);
    if (!this.#isHandled || performance.now() - this.#lastMs < REPORT_MS) return;
    this.#handling = this.#tell(step);
    // `end` passes on its failure.
    this.#handling.catch(() => undefined);
  }

  /** Reports the rows that are left. Rejects if a report failed. */
  async end(last: RunStep): Promise<void> {
    await this.#handling;
    await this.#tell(last);
  }

  async #tell({ timeUs, share }: RunStep): Promise<void> {
    this.#isHandled = false;
    this.#lastMs = performance.now();
    const rows = packBatches(this.#batches);
    this.#batches = [];
    await this.report({ timeUs, share, elapsedMs: this.#lastMs - this.#beganMs, rows });
    this.#isHandled = true;
  }
}

class LoadError extends Error {}
class ControllerProblem extends Error {}

interface Chosen {
  scenario: Scenario;
  cell: CellParams;
  seed: number;
}

function chosen(request: Extract<SimulationRequest, { scenario: unknown }>): Chosen {
  const scenario = parseScenario(request.scenario);
  const { cell = cellsOf(scenario)[0] ?? {}, seed = seedOf(scenario, 0) } = request;
  return { scenario, cell, seed };
}

/** The numbers of the flows with these names; undefined (for all flows) if no names are given. */
function numbersOf(
  names: readonly string[] | undefined,
  request: SimulationRequest,
): ReadonlySet<number> | undefined {
  if (names === undefined) return undefined;
  if ('options' in request)
    return new Set(request.options.flows.flatMap(({ name = '' }, n) => (names.includes(name) ? [n] : [])));
  const { scenario, cell } = chosen(request);
  return flowNumbers(instantiate(scenario, cell), names);
}

interface Started {
  run: Run;
  /**
   * The tables whose rows were requested. The run may also produce rows of other tables, which the metrics
   * need.
   */
  tables: ReadonlySet<TableName>;
  metricsOf: (values: CellRun['values']) => readonly MetricResult[];
}

function started(simulator: Simulator, request: SimulationRequest): Started {
  if ('options' in request) {
    const tables = new Set(request.options.trace?.tables);
    return { run: simulate(simulator, request.options), tables, metricsOf: () => [] };
  }
  const { scenario, cell, seed } = chosen(request);
  const tables = new Set(request.trace?.tables);
  const metricsOf = (values: CellRun['values']): readonly MetricResult[] => {
    if (values.size === 0) return [];
    const one = new Map([...values].map(([key, value]) => [key, [value]]));
    return judgeBy(ONE_RUN, scenario, [{ cell, values: one }]).cells[0]?.metrics ?? [];
  };
  return { run: simulateCell(simulator, scenario, cell, seed, request.trace), tables, metricsOf };
}

const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));

/** Lets the worker handle its waiting messages. A timer would also do this, but with a delay of up to 4 ms. */
function nextMessage(): Promise<void> {
  return new Promise((resolve) => {
    const { port1, port2 } = new MessageChannel();
    port1.onmessage = () => {
      port1.close();
      resolve();
    };
    port2.postMessage(null);
  });
}
