/**
 * Simulates again whenever a choice changes. If several changes wait, only the newest is simulated. The charts and
 * the numbers always belong to the same run.
 */
import { signal } from '@preact/signals';

import type { TraceOptions } from '../scenario/index.js';
import type { SimulationOptions } from '../core/index.js';
import { instantiate, type CellParams } from '../scenario/cells.js';
import { compile, flowNumbers } from '../scenario/compile.js';
import type { Scenario } from '../scenario/scenario.js';
import type { PackedBatches } from '../trace/index.js';
import { SimulationWorker } from '../worker/simulation/simulation_client.js';
import type { ControllerModule, SimulationProgress } from '../worker/simulation/simulation_protocol.js';
import type { TraceStore } from '../worker/trace/trace_client.js';
import { described, type Run } from './run.js';
import type { Runs } from './run_scope.js';

/** A run that takes longer than this is drawn while it is simulated. */
const DRAWN_AFTER_MS = 250;
/**
 * A run that is expected to take less than this is not stopped for a newer one: otherwise nothing would be drawn
 * while a slider is dragged.
 */
const LET_END_MS = 200;

const CHOICE_DRAWN = 'ccscope: choice to drawn';

/** What is to be simulated. */
export interface Wanted {
  scenario: Scenario;
  cell: CellParams;
  seed: number;
  controller?: ControllerModule;
}

export interface LiveRunOptions {
  /** The rows that a simulation records. */
  traceOf: (options: SimulationOptions) => TraceOptions;
  /** Called before the rows of the drawn run are replaced by those of another run. */
  beforeChange?: () => Promise<void>;
  /** The worker that simulates; default: a new one. */
  worker?: Pick<SimulationWorker, 'check' | 'plan' | 'run' | 'close'>;
}

export class LiveRun implements Runs {
  /** The run that is drawn; null before the first one. */
  readonly run = signal<Run | null>(null);
  /** Whether a run is being simulated for a choice that is newer than the drawn run. */
  readonly isRunning = signal(false);
  /** Whether the current simulation has taken so long that its progress is worth showing. */
  readonly isLong = signal(false);
  /** The share of the current run that has been simulated so far, 0 to 1. */
  readonly share = signal(0);
  onRows: Runs['onRows'] = () => Promise.resolve();
  newestUs = 0;
  readonly #worker: Pick<SimulationWorker, 'check' | 'plan' | 'run' | 'close'>;
  readonly #options: LiveRunOptions;
  #abort: AbortController | null = null;
  /** Resolves when the worker is free again. */
  #ended: Promise<void> = Promise.resolve();
  /** Resolves when all rows so far have been given to the charts. */
  #given: Promise<unknown> = Promise.resolve();
  /** The number of the latest request, which is the one that counts. */
  #turn = 0;
  /** How long the simulation of the latest run took. The next simulation is expected to take as long. */
  #expectedMs = Infinity;
  /** The choices for which nothing has been drawn yet. */
  #waiting: { turn: number; sinceMs: number }[] = [];

  constructor(
    readonly store: TraceStore,
    options: LiveRunOptions,
  ) {
    this.#options = options;
    this.#worker = options.worker ?? new SimulationWorker();
  }

  get durationUs(): number {
    return this.run.peek()?.durationUs ?? 0;
  }

  /** Checks a scenario: an object, or the text of its file. Rejects with SimulationError. */
  check(scenario: unknown): ReturnType<SimulationWorker['check']> {
    return this.#worker.check(scenario);
  }

  /** Ends the run that is being simulated. Its result covers the time that was simulated until then. */
  cancel(): void {
    this.#abort?.abort();
  }

  /** Ends the worker: nothing can be simulated any more. */
  close(): void {
    this.#turn += 1;
    this.#worker.close();
  }

  /** Forgets what is drawn, and what is being simulated. */
  async reset(): Promise<void> {
    this.#turn += 1;
    this.cancel();
    this.run.value = null;
    this.isRunning.value = false;
    this.isLong.value = false;
    this.newestUs = 0;
    await this.store.clear();
  }

  /**
   * Simulates a run and draws it. Resolves to the run with its result, or to null if a newer run was requested
   * meanwhile. Rejects with SimulationError, unless a newer run was requested.
   */
  async play(wanted: Wanted): Promise<Run | null> {
    const turn = ++this.#turn;
    const isLatest = (): boolean => turn === this.#turn;
    this.isRunning.value = true;
    this.#waiting.push({ turn, sinceMs: performance.now() });
    if (this.#expectedMs > LET_END_MS) this.cancel();
    const before = this.#ended;
    let free = (): void => undefined;
    this.#ended = new Promise((resolve) => (free = resolve));
    try {
      await before;
      if (!isLatest()) return null;
      return await this.#simulate(wanted, turn, free);
    } catch (error) {
      if (isLatest()) throw error;
      return null;
    } finally {
      free();
      if (isLatest()) {
        this.isRunning.value = false;
        this.isLong.value = false;
      }
    }
  }

  /** `onFree` is called when the worker can take the next run. */
  async #simulate(wanted: Wanted, turn: number, onFree: () => void): Promise<Run | null> {
    const isLatest = (): boolean => turn === this.#turn;
    const abort = new AbortController();
    this.#abort = abort;
    const began = performance.now();
    this.share.value = 0;
    const options = await this.#plan(wanted);
    const { scenario, cell, controller } = wanted;
    const own = flowNumbers(instantiate(scenario, cell), controller?.flows ?? []);
    let run: Run = { ...wanted, ...described(options, own), result: null };
    const drawing = new Drawing(() => this.#change(run));
    const onProgress = ({ share, timeUs, rows }: SimulationProgress): Promise<void> | undefined => {
      this.share.value = share;
      drawing.add(rows, timeUs);
      if (performance.now() - began < DRAWN_AFTER_MS || share === 1 || abort.signal.aborted) return undefined;
      this.isLong.value = true;
      return this.#give(drawing).then((what) => void this.onRows(what));
    };
    const request = { ...wanted, trace: this.#options.traceOf(options) };
    const result = await this.#worker.run(request, { signal: abort.signal, onProgress });
    this.#expectedMs = performance.now() - began;
    this.#abort = null;
    // The next run is simulated while this one is drawn.
    onFree();
    // A run that was stopped for a newer choice is not drawn.
    if (!isLatest() && result.cancelled) return null;
    // If nothing of a run was drawn so far, the run and its result appear together.
    run = { ...run, result };
    await this.#give(drawing);
    this.run.value = run;
    void this.onRows('all').then(() => this.#tellDrawn(turn));
    return isLatest() ? run : null;
  }

  /**
   * The options for the simulator. They are computed here, which saves a request to the worker. If this fails, the
   * worker is asked nevertheless, because its error explains what is wrong with the scenario.
   */
  #plan(wanted: Wanted): SimulationOptions | Promise<SimulationOptions> {
    const { scenario, cell, seed } = wanted;
    try {
      return compile(instantiate(scenario, cell), seed);
    } catch {
      return this.#worker.plan(wanted);
    }
  }

  /** Adds to the page's User Timing how long each choice waited until its run, or a newer one, was drawn. */
  #tellDrawn(turn: number): void {
    const drawn = this.#waiting.filter((choice) => choice.turn <= turn);
    this.#waiting = this.#waiting.filter((choice) => choice.turn > turn);
    for (const { sinceMs } of drawn) performance.measure(CHOICE_DRAWN, { start: sinceMs });
    performance.clearMeasures(CHOICE_DRAWN);
  }

  /**
   * Passes the waiting rows of a run to the charts, after the rows of earlier runs. Resolves to `all` for the first
   * rows of a run, and to `more` for later rows.
   */
  #give(drawing: Drawing): Promise<'more' | 'all'> {
    const giving = this.#given.then(() => this.#take(drawing));
    this.#given = giving.catch(() => undefined);
    return giving;
  }

  async #take(drawing: Drawing): Promise<'more' | 'all'> {
    const { rows, timeUs, isFirst } = await drawing.take();
    for (const packed of rows) this.store.appendPacked(packed);
    this.newestUs = timeUs;
    return isFirst ? 'all' : 'more';
  }

  /** Makes `run` the drawn run: discards all rows of the previous run. */
  async #change(run: Run): Promise<void> {
    await this.#options.beforeChange?.();
    // The store handles requests in order. So rows can be added for this run without waiting until the store is empty.
    void this.store.clear();
    this.newestUs = 0;
    this.run.value = run;
  }
}

/** The rows of a run that wait to be drawn. */
class Drawing {
  #rows: PackedBatches[] = [];
  #timeUs = 0;
  #hasBegun = false;

  constructor(private readonly begin: () => Promise<void>) {}

  add(rows: PackedBatches, timeUs: number): void {
    this.#rows.push(rows);
    this.#timeUs = timeUs;
  }

  async take(): Promise<{ rows: PackedBatches[]; timeUs: number; isFirst: boolean }> {
    const isFirst = !this.#hasBegun;
    this.#hasBegun = true;
    if (isFirst) await this.begin();
    const rows = this.#rows;
    this.#rows = [];
    return { rows, timeUs: this.#timeUs, isFirst };
  }
}
