/** The page's interface to the simulation worker. */
import { proxy, wrap, type Remote } from 'comlink';

import type { SimulationOptions } from '../../core/index.js';
import { watchLife } from '../life.js';
import type {
  Answer,
  CheckedScenario,
  SimulationProblem,
  SimulationProgress,
  SimulationRequest,
  SimulationResult,
} from './simulation_protocol.js';
import type { SimulationWorkerApi } from './simulation_worker.js';

/**
 * Thrown when a simulation gives no result. `kind` is the kind of problem, `field` names the invalid value (if
 * there is one), and `fix` says what to do.
 */
export class SimulationError extends Error implements SimulationProblem {
  override readonly name = 'SimulationError';
  readonly kind: SimulationProblem['kind'];
  readonly field?: string;
  readonly expected?: string;
  readonly got?: string;
  readonly fix: string;

  constructor(problem: SimulationProblem) {
    super(problem.message);
    this.kind = problem.kind;
    this.fix = problem.fix;
    if (problem.field !== undefined) this.field = problem.field;
    if (problem.expected !== undefined) this.expected = problem.expected;
    if (problem.got !== undefined) this.got = problem.got;
  }
}

export interface SimulationWorkerOptions {
  /** The worker's script; default: the file beside this one. */
  workerUrl?: string | URL;
  /** Creates the worker. If this function is given, `workerUrl` is ignored. */
  createWorker?: () => Worker;
  /** The core's module; default: the file that ships with the worker. */
  wasmUrl?: string | URL;
  /** A run with a user's controller is ended if it reports no progress for this long. Default: 10 s. */
  controllerTimeoutMs?: number;
}

export interface RunHandlers {
  /**
   * Called at most about ten times a second, with the trace rows since the last call (see `unpackBatches`). The callee
   * may keep and change the rows. If it returns a promise, the next call and the result wait for the promise, but the
   * simulation goes on.
   */
  onProgress?: (progress: SimulationProgress) => void | Promise<void>;
  /** Aborting this signal ends the run. The result then covers the part that was simulated. */
  signal?: AbortSignal;
}

/** If a run does not stop within this time, its worker is terminated, and the result is lost. */
const STOP_MS = 5000;
const CONTROLLER_TIMEOUT_MS = 10_000;
const WATCH_MS = 200;

/**
 * Runs simulations in a worker, one at a time. If the worker breaks down, the run fails with a SimulationError,
 * and the next run starts a new worker.
 */
export class SimulationWorker {
  readonly #options: SimulationWorkerOptions;
  #worker: Worker | null = null;
  #remote: Remote<SimulationWorkerApi> | null = null;
  #running = false;

  constructor(options: SimulationWorkerOptions = {}) {
    this.#options = options;
  }

  /** Starts the worker, so that it answers its first request sooner. */
  prepare(): void {
    this.#start();
  }

  /** Rejects with SimulationError, or with an Error if a simulation is already running. */
  async run(request: SimulationRequest, { onProgress, signal }: RunHandlers = {}): Promise<SimulationResult> {
    if (this.#running) throw new Error('a simulation is running in this worker; await or abort it first');
    this.#running = true;
    const life = new AbortController();
    try {
      const remote = this.#start();
      const broken = this.#breakdown(life.signal, signal);
      const { heard, silent } = this.#silence(request, life.signal);
      const report = proxy((progress: SimulationProgress) => {
        heard();
        return onProgress?.(progress);
      });
      const stop = (): void => void remote.cancel().catch(() => undefined);
      const running = remote.run(request, report);
      signal?.addEventListener('abort', stop, { signal: life.signal });
      if (signal?.aborted === true) stop();
      return opened(await Promise.race([running, broken, silent]));
    } finally {
      life.abort();
      this.#running = false;
    }
  }

  /**
   * Checks a scenario: an object, or the text of its file. Rejects with a SimulationError that names the field.
   */
  check(scenario: unknown): Promise<CheckedScenario> {
    return this.#ask((remote) => remote.check(scenario));
  }

  /**
   * The simulator's options for a request. For a scenario, they do not contain `trace`. Rejects with
   * SimulationError.
   */
  plan(request: SimulationRequest): Promise<SimulationOptions> {
    return this.#ask((remote) => remote.plan(request));
  }

  async #ask<T>(question: (remote: Remote<SimulationWorkerApi>) => Promise<Answer<T>>): Promise<T> {
    const life = new AbortController();
    try {
      return opened(await Promise.race([question(this.#start()), this.#breakdown(life.signal)]));
    } finally {
      life.abort();
    }
  }

  /** Ends the worker. */
  close(): void {
    this.#worker?.terminate();
    this.#worker = null;
    this.#remote = null;
  }

  #start(): Remote<SimulationWorkerApi> {
    if (this.#remote !== null) return this.#remote;
    const { workerUrl, createWorker, wasmUrl } = this.#options;
    this.#worker =
      createWorker?.() ??
      (workerUrl === undefined ? defaultWorker() : new Worker(workerUrl, { type: 'module' }));
    const remote = wrap<SimulationWorkerApi>(this.#worker);
    if (wasmUrl !== undefined) remote.use(new URL(wasmUrl, location.href).href).catch(() => undefined);
    this.#remote = remote;
    const worker = this.#worker;
    // Between two requests, nobody else notices that the worker has failed. The next request then starts a new one.
    worker.addEventListener('error', (event) => {
      event.preventDefault();
      if (this.#worker === worker) this.close();
    });
    void watchLife(this.#worker, (name) => remote.hold(name));
    return remote;
  }

  /**
   * Detects a user's controller that never returns, which would block its worker forever. If a run with a
   * user's controller makes no progress, the promise `silent` rejects. The caller reports progress by calling
   * `heard`.
   */
  #silence({ controller }: SimulationRequest, life: AbortSignal): { heard(): void; silent: Promise<never> } {
    const { controllerTimeoutMs = CONTROLLER_TIMEOUT_MS } = this.#options;
    let heardAt = performance.now();
    const silent = new Promise<never>((_, reject) => {
      if (controller === undefined) return;
      const watch = setInterval(() => {
        if (performance.now() - heardAt <= controllerTimeoutMs) return;
        this.close();
        const message = `the controller ${controller.name} did not answer for ${controllerTimeoutMs / 1000} s, so its run was stopped`;
        const fix = 'look for a function that does not return, or that fills the memory';
        reject(new SimulationError({ kind: 'controller', message, field: 'controller', fix }));
      }, WATCH_MS);
      life.addEventListener('abort', () => clearInterval(watch));
    });
    return { heard: () => (heardAt = performance.now()), silent };
  }

  /** Returns a promise that rejects if the worker fails, or if it does not stop in time after `stop`. */
  #breakdown(life: AbortSignal, stop?: AbortSignal): Promise<never> {
    return new Promise((_, reject) => {
      const fail = (message: string, fix: string): void => {
        this.close();
        reject(new SimulationError({ kind: 'fault', message, fix }));
      };
      const again = 'run it again; if it fails again, reload the page';
      this.#worker?.addEventListener(
        'error',
        ({ message }) =>
          fail(`the simulation worker failed: ${message || 'its script could not be loaded'}`, again),
        { signal: life },
      );
      let timer: ReturnType<typeof setTimeout> | undefined;
      const stopping = (): void => {
        timer = setTimeout(() => fail('the run did not stop in time and was ended', again), STOP_MS);
      };
      stop?.addEventListener('abort', stopping, { signal: life });
      life.addEventListener('abort', () => clearTimeout(timer));
    });
  }
}

function opened<T>(answer: Answer<T>): T {
  if (answer.ok) return answer.result;
  throw new SimulationError(answer.problem);
}

function defaultWorker(): Worker {
  return new Worker(new URL('./simulation_worker.js', import.meta.url), { type: 'module' });
}
