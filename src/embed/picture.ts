/**
 * The content of one element: a run, a recording or the text of a problem. If the choices change several times, only
 * the newest choices are shown. Failures are not thrown; their text is shown instead of the picture.
 */
import { signal } from '@preact/signals';

import type { Scope } from '../boards/scope.js';
import { cellFor, wrongChoices } from '../runs/cell_choice.js';
import { LiveRun } from '../runs/live_run.js';
import { described, traceOf, type Run } from '../runs/run.js';
import { runScope } from '../runs/run_scope.js';
import { instantiate, type CellParams } from '../scenario/cells.js';
import { compile } from '../scenario/compile.js';
import { seedOf } from '../scenario/run_cell.js';
import { ConfigError, cut, shown } from '../text/quantities.js';
import type { CheckedScenario } from '../worker/simulation/simulation_protocol.js';
import type { Choices, Source } from './attributes.js';
import { problemOf } from './problem.js';
import type { ErrorDetail, ReadyDetail } from './public.js';
import { checkFlow, describedRecording, type Recording } from './recording.js';
import { recordingOf, scenarioOf } from './sources.js';
import { shareOfWorkers, type Share } from './workers.js';

export type Showing =
  /** Nothing has been requested, or the element is not in view yet. */
  | { kind: 'waiting' }
  | { kind: 'loading' }
  /** The run in `live.run` is drawn. */
  | { kind: 'run' }
  | { kind: 'recording'; recording: Recording }
  | { kind: 'failed'; problem: ErrorDetail };

/** The workers, the run and the charts. They are created when the element draws for the first time. */
export interface Stage {
  share: Share;
  live: LiveRun;
  scope: Scope;
}

export interface Told {
  ready: (detail: ReadyDetail) => void;
  error: (detail: ErrorDetail) => void;
}

/** The visible time range: the whole run. */
const WHOLE = { window_s: 0, from_s: 0 };

export class Picture {
  readonly showing = signal<Showing>({ kind: 'waiting' });
  readonly stage = signal<Stage | null>(null);
  readonly choices = signal<Choices | null>(null);
  /** Counts requests; only the latest one takes effect. */
  #turn = 0;
  #abort = new AbortController();
  /** The scenario that was checked last, and its source. */
  #checked: { source: Source; scenario: CheckedScenario } | null = null;
  /**
   * Settles when the file that is being read has been read completely. A new request waits for this: otherwise rows of
   * the old file could replace the rows of the new request.
   */
  #opening: Promise<unknown> = Promise.resolve();

  constructor(private readonly tell: Told) {}

  /** Draws the chosen run or recording. Calls `tell.ready` after drawing, or `tell.error` after a failure. */
  async show(choices: Choices): Promise<void> {
    const before = this.choices.peek();
    const { kind } = this.showing.peek();
    const isDrawn = kind === 'run' || kind === 'recording';
    this.choices.value = choices;
    if (isDrawn && isSame(drawnBy(before), drawnBy(choices))) return;
    const turn = ++this.#turn;
    const isLatest = (): boolean => turn === this.#turn;
    this.#abort.abort();
    this.#abort = new AbortController();
    try {
      const stage = this.#start();
      if (!isDrawn || !isSame(before?.source, choices.source)) {
        this.showing.value = { kind: 'loading' };
        await this.#opening;
        if (isLatest()) stage.live.reset();
      }
      if (!isLatest()) return;
      const { source } = choices;
      const detail =
        source.kind === 'trace'
          ? await this.#showRecording(source.url, choices, stage, isLatest)
          : await this.#showRun(source, choices, stage, isLatest);
      if (detail !== null && isLatest()) this.tell.ready(detail);
    } catch (error) {
      if (isLatest()) this.fail(error);
    }
  }

  /** Shows a problem instead of the picture. */
  fail(error: unknown): void {
    this.#turn += 1;
    this.#abort.abort();
    const problem = problemOf(error);
    this.showing.value = { kind: 'failed', problem };
    this.tell.error(problem);
  }

  /** Releases all resources; the picture can show something again afterwards. */
  close(): void {
    this.#turn += 1;
    this.#abort.abort();
    const stage = this.stage.peek();
    this.showing.value = { kind: 'waiting' };
    this.stage.value = null;
    this.choices.value = null;
    this.#opening = Promise.resolve();
    if (stage === null) return;
    stage.live.cancel();
    stage.live.close();
    stage.scope.close();
    stage.share.close();
  }

  #start(): Stage {
    const there = this.stage.peek();
    if (there !== null) return there;
    const share = shareOfWorkers((error) => {
      // Closing releases the failed workers, so that the next attempt starts new ones.
      this.close();
      this.fail(error);
    });
    const live = new LiveRun(share.store, {
      traceOf: (options) => traceOf(options, { packets: false, inside: false }),
      worker: share.simulations,
    });
    const scope = runScope(
      live,
      () => WHOLE,
      () => undefined,
    );
    const stage = { share, live, scope };
    this.stage.value = stage;
    return stage;
  }

  async #showRun(
    source: Exclude<Source, { kind: 'trace' }>,
    choices: Choices,
    { live, scope }: Stage,
    isLatest: () => boolean,
  ): Promise<ReadyDetail | null> {
    const { signal: stop } = this.#abort;
    if (this.#checked === null || !isSame(this.#checked.source, source)) {
      const scenario = await live.check(await scenarioOf(source, stop));
      this.#checked = { source, scenario };
    }
    if (!isLatest()) return null;
    const { scenario, cells } = this.#checked.scenario;
    const cell = cellOf(cells, choices.cell);
    const seed = choices.seed ?? seedOf(scenario, 0);
    const { flows } = described(compile(instantiate(scenario, cell), seed));
    const media = flows.flatMap(({ kind, name }) => (kind === 'media' ? [name] : []));
    const none = 'no flow in this scenario has a controller';
    checkFlow(choices.flow, media, 'a flow with a controller:', none);
    this.showing.value = { kind: 'run' };
    const run = await live.play({ scenario, cell, seed });
    if (run === null) return null;
    await scope.settled();
    return readyRun(run);
  }

  async #showRecording(
    url: string,
    { flow }: Choices,
    { share, scope }: Stage,
    isLatest: () => boolean,
  ): Promise<ReadyDetail | null> {
    const file = await recordingOf(url, this.#abort.signal);
    if (!isLatest()) return null;
    const opening = share.store.open(file);
    this.#opening = opening.catch(() => undefined);
    const header = await opening;
    if (!isLatest()) return null;
    const [extent, events] = await Promise.all([scope.reload('all'), share.store.events()]);
    if (!isLatest()) return null;
    const recording = describedRecording(file.name, header, extent, events, flow);
    this.showing.value = { kind: 'recording', recording };
    await scope.settled();
    const { title, durationUs, names } = recording;
    return { kind: 'trace', title, durationUs, flows: names };
  }
}

/** The chosen cell. Throws ConfigError for an axis or a value that the scenario does not have. */
function cellOf(cells: readonly CellParams[], chosen: CellParams): CellParams {
  const [wrong] = wrongChoices(cells, chosen);
  if (wrong === undefined) return cellFor(cells, chosen);
  const { axis, value, expected } = wrong;
  const fix = 'correct or remove this axis=value pair';
  throw new ConfigError('cell', cut(expected, 200), shown(`${axis}=${value}`), fix);
}

/** The choices that determine which rows are simulated or read. */
const drawnBy = (choices: Choices | null): unknown => {
  if (choices === null) return null;
  const { source, cell, seed, flow } = choices;
  return { source, cell, seed, flow };
};

const isSame = (a: unknown, b: unknown): boolean => JSON.stringify(a) === JSON.stringify(b);

function readyRun({ scenario, cell, seed, durationUs, flows, result }: Run): ReadyDetail {
  const { id, title } = scenario;
  const names = flows.map(({ name }) => name);
  const windows = result?.windows ?? [];
  return { kind: 'scenario', title, scenario: id, cell, seed, durationUs, flows: names, windows };
}
