/**
 * The workers that all views in a page share: one worker with the traces, and at most two that simulate. The workers
 * start with the first view that needs them, and end with the last view. The paths of their scripts are valid only in
 * the bundle, not in the sources.
 */
import { transfer, wrap, type Remote } from 'comlink';

import { SimulationPool } from '../runs/simulation_pool.js';
import { watchLife } from '../worker/life.js';
import { connectTraceStore, type TraceStore } from '../worker/trace/trace_client.js';
import type { TracesWorkerApi } from '../worker/trace/traces_worker.js';

const MOST_SIMULATORS = 2;

/** Access to the workers for one view. */
export interface Share {
  store: TraceStore;
  simulations: Pick<SimulationPool, 'check' | 'plan' | 'run' | 'close'>;
  /** Ends the access. The workers end once the last view has ended its access. */
  close(): void;
}

/**
 * Starts a worker. Browsers refuse to start a worker whose script has another origin than the page. In this
 * case, starts a worker from a small script of this page, which imports the script from the other origin.
 */
function fromAnySite(start: () => Worker, script: string): Worker {
  try {
    return start();
  } catch (error) {
    const { href, origin } = new URL(script, HERE);
    if (origin === location.origin) throw error;
    const text = new Blob([`import ${JSON.stringify(href)};`], { type: 'text/javascript' });
    const url = URL.createObjectURL(text);
    const worker = new Worker(url, { type: 'module' });
    worker.addEventListener('message', () => URL.revokeObjectURL(url), { once: true });
    return worker;
  }
}

/**
 * The base of the scripts' paths, for pages without a bundler. A bundler finds the script of each `new Worker`
 * itself.
 */
const HERE = import.meta.url;

const simulationWorker = (): Worker =>
  fromAnySite(
    () => new Worker(new URL('./simulation_worker.js', import.meta.url), { type: 'module' }),
    './simulation_worker.js',
  );

const tracesWorker = (): Worker =>
  fromAnySite(
    () => new Worker(new URL('./traces_worker.js', import.meta.url), { type: 'module' }),
    './traces_worker.js',
  );

class Workers {
  readonly #simulations = new SimulationPool(MOST_SIMULATORS, { createWorker: simulationWorker });
  readonly #worker = tracesWorker();
  readonly #traces: Remote<TracesWorkerApi> = wrap<TracesWorkerApi>(this.#worker);
  readonly #shares = new Set<(error: Error) => void>();
  #isClosed = false;

  constructor() {
    this.#worker.addEventListener('error', (event) => {
      event.preventDefault();
      if (!this.#isClosed) this.#fail(event.message || 'its script could not be loaded');
    });
    void watchLife(this.#worker, (name) => this.#traces.hold(name));
  }

  /** Abandons these workers, since the trace worker failed. The next view gets new workers. */
  #fail(why: string): void {
    if (workers === this) workers = null;
    const error = new Error(`the trace worker failed: ${why}`);
    for (const onError of [...this.#shares]) onError(error);
  }

  share(onError: (error: Error) => void): Share {
    this.#shares.add(onError);
    const { port1, port2 } = new MessageChannel();
    this.#traces.open(transfer(port2, [port2])).catch(onError);
    const store = connectTraceStore(port1, onError, () => port1.close());
    const pool = this.#simulations;
    return {
      store,
      simulations: {
        check: (scenario) => pool.check(scenario),
        plan: (request) => pool.plan(request),
        run: (request, handlers) => pool.run(request, handlers),
        // Nothing to close: other views also use the pool.
        close: () => undefined,
      },
      close: () => {
        store.close();
        this.#shares.delete(onError);
        if (this.#shares.size === 0) this.#close();
      },
    };
  }

  #close(): void {
    this.#isClosed = true;
    if (workers === this) workers = null;
    this.#simulations.close();
    this.#worker.terminate();
  }
}

let workers: Workers | null = null;

/** Access to the page's workers for one view. `onError` is called when the workers can no longer be used. */
export function shareOfWorkers(onError: (error: Error) => void): Share {
  workers ??= new Workers();
  return workers.share(onError);
}
