/** The Lab's doings: loads scenarios, runs them in the worker, keeps what they gave. */
import { computed, signal } from '@preact/signals';

import { saveAs } from '../files.js';
import type { CellParams } from '../../scenario/cells.js';
import type { Scenario } from '../../scenario/scenario.js';
import { traceHeader } from '../../scenario/trace_header.js';
import { SimulationWorker } from '../../worker/simulation/simulation_client.js';
import type { SimulationProgress } from '../../worker/simulation/simulation_protocol.js';
import { createTraceStore, type TraceStore } from '../../worker/trace/trace_client.js';
import { dismiss, notify } from '../notices.js';
import { cellFor, wrongChoices } from './cell_choice.js';
import { withPreset } from './controller_choice.js';
import { fromFragment, toFragment } from './own_scenario.js';
import { fetchScenario, registry } from './registry.js';
import { described, traceOf, type Run } from './run.js';
import type { Runs } from './run_scope.js';
import { change, fragment, settings } from './settings.js';
import { tellSimulationError } from './simulation_notice.js';

export interface Loaded {
  scenario: Scenario;
  cells: readonly CellParams[];
  /** The name of the user's file; null for one of the registry. */
  file: string | null;
}

export type Phase = 'loading' | 'ready' | 'running';

const FIRST_SCENARIO = 'ton-fig11';

export class Lab implements Runs {
  readonly loaded = signal<Loaded | null>(null);
  readonly phase = signal<Phase>('loading');
  /** Simulated share of the run. */
  readonly share = signal(0);
  readonly run = signal<Run | null>(null);
  /** The cell that the settings mean. */
  readonly cell = computed<CellParams>(() => {
    const { value } = this.loaded;
    return value === null ? {} : cellFor(value.cells, settings.value.cell);
  });
  readonly seed = computed(() => settings.value.seed ?? this.loaded.value?.scenario.seed ?? 1);
  onRows: (what: 'more' | 'all') => void = () => undefined;
  newestUs = 0;
  readonly #worker = new SimulationWorker();
  #abort: AbortController | null = null;
  /** Counts what was asked to be shown; the last one counts. */
  #turn = 0;

  private constructor(readonly store: TraceStore) {}

  get durationUs(): number {
    return this.run.peek()?.durationUs ?? 0;
  }

  static async create(): Promise<Lab> {
    const onError = (error: Error): void =>
      notify('error', 'trace', `The trace failed: ${error.message}.`, 'Reload the page.');
    return new Lab(await createTraceStore({ onError }));
  }

  /** Loads what the address asks for, and runs it if it says so. */
  async open(): Promise<void> {
    const own = await fromFragment(fragment.peek()).catch(() => {
      notify('error', 'scenario', 'The scenario in the address is damaged.', 'Open its file instead.');
      return null;
    });
    const shown =
      own === null
        ? await this.#loadListed(settings.peek().scenario || this.#first())
        : await this.#load(() => Promise.resolve(own), 'the address', 'The scenario in the address');
    if (!shown) return;
    this.#checkCell();
    if (settings.peek().run) await this.start();
  }

  /** Tells what of the cell in the address there is not, and forgets it. */
  #checkCell(): void {
    const { value: loaded } = this.loaded;
    if (loaded === null) return;
    const wrong = wrongChoices(loaded.cells, settings.peek().cell);
    for (const { axis, value, expected } of wrong) {
      const what = `In the address, cell.${axis}=${value} was not understood: expected ${expected}.`;
      notify('warning', `cell-${axis}`, what, 'The first cell that fits the rest is used instead.');
    }
    const gone = new Set(wrong.map(({ axis }) => axis));
    if (gone.size === 0) return;
    const kept = Object.entries(settings.peek().cell).filter(([axis]) => !gone.has(axis));
    change({ cell: Object.fromEntries(kept) });
  }

  #first(): string {
    return (registry.find(({ id }) => id === FIRST_SCENARIO) ?? registry[0])?.id ?? '';
  }

  /** Shows a scenario of the registry. */
  async choose(id: string): Promise<void> {
    if (await this.#loadListed(id)) {
      fragment.value = '';
      change({ ...FRESH, scenario: id });
    }
  }

  /** Shows the scenario in a user's file; one with an error leaves everything as it was. */
  async openFile(file: File): Promise<void> {
    if (!(await this.#load(() => file.text(), file.name, file.name))) return;
    change({ ...FRESH, scenario: '' });
    fragment.value = await toFragment(await file.text());
    if (fragment.value === '')
      notify('info', 'own', 'This scenario is too long for a link.', 'Send its file along with the link.');
  }

  async #loadListed(id: string): Promise<boolean> {
    if (id !== '') return this.#load(() => fetchScenario(id), null, `The scenario ${id}`);
    this.phase.value = 'ready';
    notify('info', 'scenario', 'This page came without scenarios.', 'Open a file with one.');
    return false;
  }

  /** Whether the scenario is shown now: it is correct, and nobody asked for another one meanwhile. */
  async #load(text: () => Promise<string>, file: string | null, what: string): Promise<boolean> {
    const turn = ++this.#turn;
    this.cancel();
    try {
      const { scenario, cells } = await this.#worker.check(await text());
      if (turn !== this.#turn) return false;
      dismiss('scenario');
      this.loaded.value = { scenario, cells, file };
      return true;
    } catch (error) {
      if (turn === this.#turn) tellSimulationError(error, `${what} was not opened`, 'scenario');
      return false;
    } finally {
      if (this.phase.peek() === 'loading') this.phase.value = 'ready';
    }
  }

  /** Runs the chosen cell. */
  async start(): Promise<void> {
    const { value: loaded } = this.loaded;
    if (loaded === null || this.phase.peek() === 'running') return;
    const scenario = withPreset(loaded.scenario, settings.peek().controller);
    const request = { scenario, cell: this.cell.peek(), seed: this.seed.peek() };
    const abort = new AbortController();
    this.#abort = abort;
    this.phase.value = 'running';
    this.share.value = 0;
    change({ run: true });
    try {
      const options = await this.#worker.plan(request);
      const run: Run = { ...request, ...described(options), result: null };
      await this.store.clear();
      this.newestUs = 0;
      this.run.value = run;
      this.onRows('all');
      const result = await this.#worker.run(
        { ...request, trace: traceOf(options, settings.peek().packets) },
        { signal: abort.signal, onProgress: (progress) => this.#progress(progress) },
      );
      dismiss('run');
      this.run.value = { ...run, result };
      this.onRows('all');
    } catch (error) {
      tellSimulationError(error, 'The run failed', 'run');
    } finally {
      this.#abort = null;
      this.phase.value = 'ready';
    }
  }

  cancel(): void {
    this.#abort?.abort();
  }

  #progress({ share, timeUs, rows }: SimulationProgress): void {
    this.store.appendPacked(rows);
    this.share.value = share;
    this.newestUs = timeUs;
    this.onRows('more');
  }

  /** The trace as a file of format v1. */
  async downloadTrace(): Promise<void> {
    const { value: run } = this.run;
    if (run === null) return;
    const { scenario, cell, seed } = run;
    const header = { created: new Date().toISOString(), ...traceHeader(scenario, cell, seed) };
    saveAs(await this.store.exportNdjson(header), `${fileName(run)}.ndjson`);
  }

  downloadMetrics(): void {
    const { value: run } = this.run;
    if (run?.result == null) return;
    const { scenario, cell, seed, result } = run;
    const { windows, metrics, events, timeUs } = result;
    const report = { scenario: scenario.id, cell, seed, simulated_us: timeUs, events, windows, metrics };
    const blob = new Blob([`${JSON.stringify(report, null, 2)}\n`], { type: 'application/json' });
    saveAs(blob, `${fileName(run)}-metrics.json`);
  }
}

/** What another scenario does not take over. */
const FRESH = {
  cell: {},
  controller: '',
  seed: null,
  run: false,
  flow: '',
  draw: [],
  hide: [],
  window_s: 0,
  from_s: 0,
};

const fileName = ({ scenario, cell, seed }: Run): string =>
  ['ccscope', scenario.id, ...Object.values(cell), `seed${seed}`].join('-');
