/**
 * Simulates and draws the runs that the user chooses. Of several waiting choices, only the newest is
 * simulated. The charts and the numbers always show the same run.
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

/**
 * A simulation that is expected to take longer than this in its worker is drawn while it runs. Drawing a shorter one
 * several times would only make its user wait longer for all of it.
 */
const LONG_MS = 1000;
/**
 * A simulation that is expected to take less than this runs to its end, even if a newer simulation is
 * waiting. Otherwise nothing would be drawn while the user drags a slider.
 */
const LET_END_MS = 400;

const CHOICE_DRAWN = 'ccscope: choice to drawn';

/** What to simulate. */
export interface Wanted {
  scenario: Scenario;
  cell: CellParams;
  seed: number;
  controller?: ControllerModule;
}

export interface LiveRunOptions {
  /** Chooses the rows that a simulation records. */
  traceOf: (options: SimulationOptions) => TraceOptions;
  /** Called before the run `next` replaces the drawn run. */
  beforeChange?: (next: Run) => Promise<void>;
  /** The worker for the simulations. Default: a new one. */
  worker?: Pick<SimulationWorker, 'check' | 'plan' | 'run' | 'close'>;
}

export class LiveRun implements Runs {
  /** The drawn run; null before the first one. */
  readonly run = signal<Run | null>(null);
  /** Whether a choice that is newer than the drawn run is being simulated. */
  readonly isRunning = signal(false);
  /** Whether the current simulation takes so long that the page should show its progress. */
  readonly isLong = signal(false);
  /** The fraction of the current run that has been simulated, from 0 to 1. */
  readonly share = signal(0);
  onRows: Runs['onRows'] = () => Promise.resolve();
  newestUs = 0;
  readonly #worker: Pick<SimulationWorker, 'check' | 'plan' | 'run' | 'close'>;
  readonly #options: LiveRunOptions;
  #abort: AbortController | null = null;
  /** Resolves when the worker is free again. */
  #ended: Promise<void> = Promise.resolve();
  /** Resolves when the charts have received all rows so far. */
  #given: Promise<unknown> = Promise.resolve();
  /** The number of the latest request. All earlier requests are obsolete. */
  #turn = 0;
  /** The total time of the latest simulation, estimated from its last report. Also the estimate for the next one. */
  #expectedMs = Infinity;
  /** The value of `#turn` at the last reset. Runs from before it are never drawn. */
  #resetTurn = 0;
  /** The choices that have no drawn run yet, with the times at which they were made. */
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

  /** Checks a scenario, which is an object or the text of a file. Rejects with SimulationError. */
  check(scenario: unknown): ReturnType<SimulationWorker['check']> {
    return this.#worker.check(scenario);
  }

  /** Stops the current simulation. Its result covers only the time that was simulated. */
  cancel(): void {
    this.#abort?.abort();
  }

  /** Terminates the worker. No more simulations are possible. */
  close(): void {
    this.#turn += 1;
    this.#worker.close();
  }

  /** Stops the current simulation, and discards the drawn run. */
  reset(): void {
    this.#resetTurn = ++this.#turn;
    this.cancel();
    this.run.value = null;
    this.isRunning.value = false;
    this.isLong.value = false;
    this.newestUs = 0;
    this.#clear();
  }

  /**
   * Simulates a run and draws it. Resolves to the run with its result, or to null if a newer run was requested in
   * the meantime. Rejects with SimulationError unless a newer run was requested.
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

  /** Calls `onFree` when the worker can start the next run. */
  async #simulate(wanted: Wanted, turn: number, onFree: () => void): Promise<Run | null> {
    const isLatest = (): boolean => turn === this.#turn;
    const isReset = (): boolean => turn < this.#resetTurn;
    const abort = new AbortController();
    this.#abort = abort;
    this.share.value = 0;
    const options = await this.#plan(wanted);
    const { scenario, cell, controller } = wanted;
    const own = flowNumbers(instantiate(scenario, cell), controller?.flows ?? []);
    let run: Run = { ...wanted, ...described(options, own), result: null };
    // Makes `run` the drawn run, and discards the rows of the previous one.
    const drawing = new Drawing(async () => {
      await this.#options.beforeChange?.(run);
      if (isReset()) return;
      this.#clear();
      this.newestUs = 0;
      this.run.value = run;
    });
    const onProgress = (progress: SimulationProgress): Promise<void> | undefined => {
      const { share, timeUs, elapsedMs, rows } = progress;
      this.share.value = share;
      drawing.add(rows, timeUs);
      const expectedMs = (this.#expectedMs = elapsedMs / share);
      // A newer choice waits, and this simulation turns out to be long.
      if (!isLatest() && expectedMs > LET_END_MS) abort.abort();
      const isLong = this.isLong.peek() || expectedMs > LONG_MS;
      if (!isLong || share === 1 || abort.signal.aborted) return undefined;
      this.isLong.value = true;
      return this.#give(drawing).then((what) => void this.onRows(what));
    };
    const request = { ...wanted, trace: this.#options.traceOf(options) };
    const result = await this.#worker.run(request, { signal: abort.signal, onProgress });
    this.#abort = null;
    // Lets the worker simulate the next run while this one is drawn.
    onFree();
    // A run that was stopped because of a newer choice is not drawn.
    if (isReset() || (!isLatest() && result.cancelled)) return null;
    // `drawing` uses this new object. So if no rows have been drawn yet, the run and its result appear together.
    run = { ...run, result };
    await this.#give(drawing);
    if (isReset()) return null;
    this.run.value = run;
    void this.onRows('all').then(() => this.#tellDrawn(turn));
    return isLatest() ? run : null;
  }

  /**
   * The simulator's options, computed here to save a request to the worker. If this fails, the worker
   * computes them, since its error explains what is wrong with the scenario.
   */
  #plan(wanted: Wanted): SimulationOptions | Promise<SimulationOptions> {
    const { scenario, cell, seed } = wanted;
    try {
      return compile(instantiate(scenario, cell), seed);
    } catch {
      return this.#worker.plan(wanted);
    }
  }

  /** Records with the User Timing API how long each choice waited until its run, or a newer run, was drawn. */
  #tellDrawn(turn: number): void {
    const drawn = this.#waiting.filter((choice) => choice.turn <= turn);
    this.#waiting = this.#waiting.filter((choice) => choice.turn > turn);
    for (const { sinceMs } of drawn) performance.measure(CHOICE_DRAWN, { start: sinceMs });
    performance.clearMeasures(CHOICE_DRAWN);
  }

  /**
   * Passes the waiting rows of a run to the charts, after the rows of earlier runs. Resolves to `all` for the
   * first rows of a run, otherwise to `more`.
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

  /** Does not wait: the store handles requests in order, so it clears itself before it adds rows of the next run. */
  #clear(): void {
    // If the store has ended, it reports this to its owner.
    this.store.clear().catch(() => undefined);
  }
}

/** The rows of a run that are waiting to be drawn. */
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
