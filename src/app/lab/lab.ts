/** The Lab's actions: it loads scenarios, changes them, simulates them and keeps the results. */
import { batch, computed, effect, signal } from '@preact/signals';

import type { Scope } from '../../boards/scope.js';
import { instantiate, type CellParams } from '../../scenario/cells.js';
import { checkCell } from '../../scenario/check_cell.js';
import { authorsFlows } from '../../scenario/chosen_controller.js';
import { hasPublished, withoutPublished, withOwnPublished } from '../../scenario/published_scope.js';
import type { Scenario } from '../../scenario/scenario.js';
import { SimulationWorker } from '../../worker/simulation/simulation_client.js';
import type { TraceStore } from '../../worker/trace/trace_client.js';
import { dismiss, notify } from '../notices.js';
import { cellFor, wrongChoices } from '../../runs/cell_choice.js';
import { withPreset } from './controller_choice.js';
import {
  addFlow,
  changeController,
  changeOwnController,
  editable,
  FRESH_NETWORK,
  FRESH_NETWORK_TEXT,
  ownCall,
  type Edit,
} from './edits.js';
import { fromFragment } from '../../runs/fragment.js';
import { downloadMetrics, downloadScenario, downloadTrace } from './downloads.js';
import { History } from './history.js';
import { LiveRun, type Wanted } from '../../runs/live_run.js';
import { fetchOriginals, fetchScenario, registry } from './registry.js';
import type { OwnController } from '../own_controllers.js';
import { OwnFlows, ownFlowsOf } from './own_flows.js';
import { OwnLink, storedOwn } from './own_link.js';
import { Pin } from './pin.js';
import { fromPinLink, toPinLink } from './pin_link.js';
import { haveSameNumbers } from '../../runs/flows.js';
import { areFew, traceOf, type FlowInfo, type Run } from '../../runs/run.js';
import { change, ownPart, pinPart, settings } from './settings.js';
import type { LabState } from './state.js';
import { tellSimulationError, tellTraceError } from './simulation_notice.js';
import { Sweep } from './sweep/sweep.js';
import { sweepables, type Sweepable } from './sweep/sweepable.js';

export interface Loaded {
  scenario: Scenario;
  cells: readonly CellParams[];
  /** Why the published values in the scenario's file are not shown. Absent if they are shown, or if there are none. */
  withheld?: string | undefined;
  /**
   * The origin of the scenario: the built-in list, a user's file (with its name), or this page's controls. A
   * scenario that the address contains counts as made with the controls.
   */
  from: { kind: 'list' } | { kind: 'file'; name: string } | { kind: 'controls' };
}

/** What undo and redo restore: the scenario with the chosen cell and controller, and the user's own controller. */
interface Step extends Choice {
  loaded: Loaded;
  own: OwnController | null;
}

type Choice = Pick<LabState, 'cell' | 'controller'>;

/** The choice in a scenario that this page's controls made: it has one cell, and its flows have their controllers. */
const NO_CHOICE: Choice = { cell: {}, controller: '' };

const FIRST_SCENARIO = 'ton-fig11';

/**
 * A simulation starts without a request from the user only if its size is at most this. The size is the simulated
 * time in seconds times the number of flows.
 */
const AT_ONCE_FLOW_S = 4000;

/** Why `withoutPublished` has left out the published values of this scenario. */
const reasonOf = ({ notes = [] }: Scenario): string => notes.join(' ');

/** Leaves out the published values of a scenario. */
function withheldFrom(scenario: Scenario, why: string): Pick<Loaded, 'scenario' | 'withheld'> {
  const kept = withoutPublished(scenario, why);
  return { scenario: kept, withheld: reasonOf(kept) };
}

/** Whether `make` succeeds. If it throws, shows a notice; `what` says what was not done. */
function isPossible(make: () => unknown, what: string): boolean {
  try {
    make();
    return true;
  } catch (error) {
    tellSimulationError(error, what, 'run');
    return false;
  }
}

export class Lab {
  readonly loaded = signal<Loaded | null>(null);
  readonly isLoading = signal(true);
  /**
   * The number of scenarios loaded so far. Fields use this number as their key, so that they drop input for the
   * previous scenario.
   */
  readonly loads = signal(0);
  /** The cell (one combination of the values of the scenario's axes) that the settings select. */
  readonly cell = computed<CellParams>(() => {
    const { value } = this.loaded;
    return value === null ? {} : cellFor(value.cells, settings.value.cell);
  });
  readonly seed = computed(() => settings.value.seed ?? this.loaded.value?.scenario.seed ?? 1);
  /**
   * The loaded scenario with the chosen controller. If the user's own controller controls a flow, the published values
   * are left out, since they belong to another controller.
   */
  readonly #withController = computed<Pick<Loaded, 'scenario' | 'withheld'> | null>(() => {
    const { value } = this.loaded;
    if (value === null) return null;
    const scenario = withPreset(value.scenario, settings.value.controller);
    const { controller } = this.ownFlows.controllerFor(scenario);
    if (controller === undefined || !hasPublished(scenario)) return { scenario, withheld: value.withheld };
    return withheldFrom(scenario, `${controller.name} controls ${ownFlowsOf(scenario).join(', ')}.`);
  });
  /** The loaded scenario with the chosen controller. A run simulates one cell of this scenario. */
  readonly chosen = computed<Scenario | null>(() => this.#withController.value?.scenario ?? null);
  /** Why the chosen scenario's published values are not shown. Undefined if they are shown, or if there are none. */
  readonly withheld = computed(() => this.#withController.value?.withheld);
  /** The chosen cell as a separate scenario. The network's controls show this scenario. */
  readonly network = computed<Scenario | null>(() => {
    const { value } = this.chosen;
    return value === null ? null : editable(value, this.cell.value);
  });
  readonly ownFlows = new OwnFlows();
  readonly live: LiveRun;
  readonly pin = new Pin();
  readonly sweep = new Sweep();
  readonly history = new History<Step>();
  /** The charts, which keep the lines of the previous run as faint lines. */
  charts: Scope | null = null;
  /** Whether the drawn run is kept as a ghost (faint lines) when the next run is drawn. */
  #isGhostDue = false;
  /** The flows of the run that was last kept as a ghost. */
  #ghostFlows: readonly FlowInfo[] = [];
  /** Whether the list of scenarios is unfolded. It is folded to make room for the controls of a user's own network. */
  readonly isListShown = signal(true);
  /** Counts requests to load a scenario; only the latest one takes effect. */
  #turn = 0;
  readonly #link = new OwnLink();

  constructor(
    readonly store: TraceStore,
    worker = new SimulationWorker(),
  ) {
    this.live = new LiveRun(store, {
      worker,
      traceOf: (options) =>
        traceOf(options, { packets: settings.peek().packets, inside: settings.peek().inside }),
      beforeChange: (next) => this.#keepGhost(next),
    });
    effect(() => {
      const { value: network } = this.network;
      if (network !== null) this.ownFlows.tellMissing(network);
    });
  }

  /**
   * Loads the scenario that the page's address contains or names, or else FIRST_SCENARIO. Runs the scenario
   * if it is quick to simulate or if the address requests a run. Then restores the pinned run (a run that is
   * shown beside the current one) and the sweep, if the address contains them.
   */
  async open(): Promise<void> {
    const pinned = pinPart.peek();
    const own = await fromFragment('own', ownPart.peek()).catch(() => {
      notify('error', 'scenario', 'The scenario in the address is damaged.', 'Open its file instead.');
      return null;
    });
    const shown =
      own === null
        ? await this.#loadListed(settings.peek().scenario || this.#first())
        : await this.#load(() => Promise.resolve(own), { kind: 'controls' }, 'The scenario in the address');
    if (!shown) return;
    const turn = this.#turn;
    if (own !== null) this.#link.found(own);
    if (own === null && settings.peek().scenario === '') {
      const before = await fromFragment('own', storedOwn()).catch(() => null);
      if (turn !== this.#turn) return;
      if (before !== null) this.#offer(before);
    }
    this.#checkCell();
    await this.#ready();
    // What the address adds to its scenario does not belong to one that was requested meanwhile.
    if (turn !== this.#turn) return;
    if (pinned !== '') await this.#pinLinked(pinned);
    if (settings.peek().sweep !== '') await this.#sweepLinked();
  }

  /** Sweeps the setting that the address names. */
  async #sweepLinked(): Promise<void> {
    const { sweep, sweep_from: from, sweep_to: to } = settings.peek();
    const { value: network } = this.network;
    const found = network && sweepables(network).find(({ id }) => id === sweep);
    if (found) return this.startSweep({ ...found, ...(from < to && { from, to }) });
    this.closeSweep();
    const what = `In the address, sweep=${sweep} was not understood: this network has no such setting.`;
    notify('warning', 'sweep', what, 'Choose one under “Sweep one number”.');
  }

  /** Pins the run that the address contains. */
  async #pinLinked(part: string): Promise<void> {
    try {
      const { scenario, seed } = await fromPinLink(part);
      const checked = await this.live.check(scenario);
      await this.#pin({ scenario: checked.scenario, cell: {}, seed });
    } catch {
      const fix = 'Pin the run again, and copy the new link.';
      notify('error', 'pin', 'The pinned run in the address is damaged.', fix);
    }
  }

  /** Drops each axis value in the address that the scenario does not have, and shows a notice about this value. */
  #checkCell(): void {
    const { value: loaded } = this.loaded;
    if (loaded === null) return;
    const wrong = wrongChoices(loaded.cells, settings.peek().cell);
    for (const { axis, value, expected } of wrong) {
      const what = `In the address, cell.${axis}=${value} was not understood: expected ${expected}.`;
      notify('warning', `cell-${axis}`, what, 'The cell that best fits the other values is used.');
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
    const replaced = this.#ownNetwork();
    if (!(await this.#loadListed(id))) return;
    this.#offer(replaced);
    this.#link.drop();
    this.#showAfresh(id);
    await this.#ready();
  }

  /** Shows the scenario in a user's file. If the file has an error, the current scenario stays. */
  async openFile(file: File): Promise<void> {
    await this.#openFrom(() => file.text(), { kind: 'file', name: file.name }, file.name);
  }

  /** Shows the scenario that `text` contains. `what` is the name of the scenario in messages. */
  async openText(text: string, from: Loaded['from'], what: string): Promise<void> {
    await this.#openFrom(() => Promise.resolve(text), from, what);
  }

  /** Shows the scenario in the text that `read` gives. If it replaces a network that the user has built, offers that network. */
  async #openFrom(read: () => Promise<string>, from: Loaded['from'], what: string): Promise<void> {
    const replaced = this.#ownNetwork();
    const text = read();
    if (!(await this.#load(() => text, from, what))) return;
    this.#offer(replaced);
    this.#showAfresh('');
    void this.#link.put(await text, from.kind === 'controls');
    await this.#ready();
  }

  /** Shows a new network with one call. */
  async begin(): Promise<void> {
    await this.openText(FRESH_NETWORK_TEXT, { kind: 'controls' }, FRESH_NETWORK.title);
  }

  /** The text of the shown network; null unless the user has built this network with the controls. */
  #ownNetwork(): string | null {
    const { text } = this.#link;
    return this.loaded.peek()?.from.kind === 'controls' && text !== FRESH_NETWORK_TEXT ? text : null;
  }

  /** Offers to reopen the user's own network after another scenario has replaced it. */
  #offer(own: string | null): void {
    if (own === null) return;
    const open = (): void => {
      dismiss('own-kept');
      void this.openText(own, { kind: 'controls' }, 'Your network');
    };
    const until = new Date().toLocaleTimeString();
    notify(
      'info',
      'own-kept',
      `The network that you built (as of ${until}) is kept until this tab is closed.`,
      '',
      {
        actions: [{ label: 'Open my network', run: open }],
      },
    );
  }

  async #loadListed(id: string): Promise<boolean> {
    if (id !== '') return this.#load(() => fetchScenario(id), { kind: 'list' }, `The scenario ${id}`);
    this.isLoading.value = false;
    notify('info', 'scenario', 'This page has no scenarios.', 'Open a scenario file.');
    return false;
  }

  /**
   * Loads and shows a scenario, unless it has an error or another scenario was requested in the meantime. Returns
   * whether the scenario is shown.
   */
  async #load(text: () => Promise<string>, from: Loaded['from'], what: string): Promise<boolean> {
    const turn = ++this.#turn;
    this.isLoading.value = true;
    try {
      const { scenario, cells } = await this.live.check(await text());
      const published = from.kind === 'list' ? { scenario } : await this.#asPublished(scenario);
      if (turn !== this.#turn) return false;
      dismiss('scenario');
      this.history.clear();
      this.loads.value++;
      this.loaded.value = { ...published, cells, from };
      this.isListShown.value = from.kind !== 'controls';
      this.#isGhostDue = false;
      this.ownFlows.forget();
      this.charts?.dropGhost();
      this.unpin();
      this.sweep.clear();
      this.live.reset();
      return true;
    } catch (error) {
      if (turn !== this.#turn) return false;
      this.isLoading.value = false;
      tellSimulationError(error, `${what} was not opened`, 'scenario');
      return false;
    }
  }

  /** Prepares a scenario that is not from the list: removes published values from a changed copy of an experiment. */
  async #asPublished(scenario: Scenario): Promise<Pick<Loaded, 'scenario' | 'withheld'>> {
    if (!hasPublished(scenario)) return { scenario };
    const texts = await fetchOriginals(scenario).catch(() => null);
    if (texts === null) return withheldFrom(scenario, 'The paper’s own experiment could not be loaded.');
    const originals = await Promise.all(texts.map((text) => this.live.check(text)));
    const kept = withOwnPublished(
      scenario,
      originals.map((original) => original.scenario),
    );
    return kept === scenario ? { scenario } : { scenario: kept, withheld: reasonOf(kept) };
  }

  /** Resets the settings that belong to the scenario that was shown before. */
  #showAfresh(scenario: string): void {
    change({ ...FRESH, scenario });
    this.charts?.axis.holdCursor(null);
  }

  /** Marks loading as complete. Then runs the network if it is quick to simulate or if the address requests a run. */
  async #ready(): Promise<void> {
    this.isLoading.value = false;
    await this.startIfQuick();
  }

  /**
   * Changes the scenario and simulates it. Consecutive changes with the same `gesture`, such as the changes during
   * one drag of a slider, are undone together. A change that leads to an invalid scenario is refused with a notice: the
   * page could not open such a scenario again, and a link to it would lead nowhere.
   */
  edit(gesture: string, edit: Edit): void {
    const [step, network] = [this.#step(), this.network.peek()];
    if (step === null || network === null) return;
    const scenario = edit(network);
    if (!isPossible(() => checkCell(instantiate(scenario, {})), 'The change was not made')) return;
    if (this.history.add(step, gesture)) this.#askForGhost();
    this.#show({ scenario, cells: [{}], from: { kind: 'controls' } });
  }

  #step(): Step | null {
    const loaded = this.loaded.peek();
    const { cell, controller } = settings.peek();
    return loaded && { loaded, own: this.ownFlows.own.peek(), cell, controller };
  }

  /** Gives a flow a preset of the core's controllers. The user's own controller then no longer controls the flow. */
  takeController(flow: string, preset: string): void {
    this.edit(`${flow}.controller`, changeController(flow, preset));
  }

  /**
   * Loads the user's controller from a file. The controller takes over the flows with the field `own_controller`. If
   * there are no such flows, adds a call that uses the controller.
   */
  useOwn(file: File): void {
    const [step, network] = [this.#step(), this.network.peek()];
    const own = step && network && this.ownFlows.accept(file);
    if (!own) return;
    this.history.add(step, `own ${own.url}`);
    const before = authorsFlows(network);
    if (before.length > 0 && before.every((each) => each.file === own.name)) {
      this.ownFlows.own.value = own;
      this.vary({});
      return;
    }
    const edit = before.length === 0 ? addFlow(ownCall(network, own.name)) : changeOwnController(own.name);
    this.#askForGhost();
    const loaded: Loaded = { scenario: edit(network), cells: [{}], from: { kind: 'controls' } };
    this.#restore({ loaded, own, ...NO_CHOICE });
  }

  undo(): void {
    const now = this.#step();
    const before = now && this.history.back(now);
    if (before) this.#restore(before);
  }

  redo(): void {
    const now = this.#step();
    const after = now && this.history.forth(now);
    if (after) this.#restore(after);
  }

  /** Restores the controller and the scenario together. Otherwise a flow would briefly seem to lack its controller. */
  #restore({ loaded, own, ...choice }: Step): void {
    batch(() => {
      this.ownFlows.own.value = own;
      this.#show(loaded, choice);
    });
  }

  /**
   * Chooses another run of the scenario, for example another cell or seed. If a run was already requested, simulates
   * the chosen run at once. A choice that leads to an invalid scenario is refused with a notice, like a change in
   * `edit`.
   */
  vary(patch: Partial<Pick<LabState, 'cell' | 'controller' | 'seed' | 'packets'>>): void {
    const loaded = this.loaded.peek();
    const { cell, controller } = { ...settings.peek(), ...patch };
    if (loaded !== null) {
      const make = (): void =>
        checkCell(instantiate(withPreset(loaded.scenario, controller), cellFor(loaded.cells, cell)));
      if (!isPossible(make, 'The choice was not made')) return;
    }
    change(patch);
    this.#askForGhost();
    if (settings.peek().run) void this.start();
  }

  /** Shows or hides packets and equations. To show them, simulates the run again with its packets recorded. */
  showInside(inside: boolean): void {
    if (inside === settings.peek().inside) return;
    change({ inside });
    if (inside && settings.peek().run) void this.start();
  }

  /** Whether a run is small enough for its packets to be recorded and shown. */
  hasPackets({ flows, durationUs }: Run): boolean {
    return areFew({ flows, durationUs });
  }

  /**
   * Requests a ghost of the drawn run, and releases a held cursor unless packets are shown. Does neither while a run is
   * pinned: the next run is then compared with the pinned run, at the held time.
   */
  #askForGhost(): void {
    this.#isGhostDue = !this.pin.isDue;
    if (this.#isGhostDue && !settings.peek().inside) this.charts?.axis.holdCursor(null);
  }

  /**
   * Keeps the drawn run as a ghost if one is due. A ghost knows its flows only by their numbers. So if the numbers stand
   * for other flows in the next run, the charts get no ghost: its lines would seem to belong to those flows.
   */
  async #keepGhost(next: Run): Promise<void> {
    const drawn = this.live.run.peek();
    const isKept = this.#isGhostDue && !this.pin.isDue && drawn !== null && drawn.result !== null;
    if (isKept) {
      this.#isGhostDue = false;
      this.#ghostFlows = drawn.flows;
    }
    if (!haveSameNumbers(this.#ghostFlows, next.flows)) this.charts?.dropGhost();
    else if (isKept) await this.charts?.keepGhost();
  }

  #show(loaded: Loaded, choice = NO_CHOICE): void {
    this.loaded.value = loaded;
    const { scenario, from } = loaded;
    change({ ...choice, scenario: from.kind === 'list' ? scenario.id : '', run: true });
    if (from.kind === 'list') {
      this.#link.drop();
    } else void this.#link.put(JSON.stringify(scenario), from.kind === 'controls');
    void this.start();
  }

  /** Runs the network if it is quick to simulate or if the address requests a run. */
  async startIfQuick(): Promise<void> {
    const { value: network } = this.network;
    if (network === null) return;
    const flows = network.flows.reduce((sum, { count = 1 }) => sum + count, 0);
    if (settings.peek().run || flows * network.duration_s <= AT_ONCE_FLOW_S) await this.start();
  }

  /** Runs the chosen cell. */
  async start(): Promise<void> {
    const { value: scenario } = this.chosen;
    if (scenario === null) return;
    change({ run: true });
    try {
      const controller = this.ownFlows.controllerFor(this.network.peek());
      const wanted = { scenario, cell: this.cell.peek(), seed: this.seed.peek(), ...controller };
      const run = await this.live.play(wanted);
      if (run === null) return;
      dismiss('run');
      this.#tellFaults(run);
    } catch (error) {
      tellSimulationError(error, 'The run failed', 'run');
    }
  }

  /** Pins the drawn run, so that it stays visible beside later runs. */
  async pinRun(): Promise<void> {
    const run = this.live.run.peek();
    if (run === null) return;
    try {
      await this.#pin(run);
    } catch (error) {
      tellSimulationError(error, 'The run was not pinned', 'pin');
    }
  }

  async #pin(wanted: Wanted): Promise<void> {
    if (this.charts === null) return;
    this.charts.dropGhost();
    if (!(await this.pin.pin(wanted, this.charts, tellTraceError))) return;
    const link = await toPinLink(wanted);
    if (this.pin.isDue) pinPart.value = link;
  }

  unpin(): void {
    this.pin.unpin();
    pinPart.value = '';
  }

  async startSweep(swept: Sweepable): Promise<void> {
    const { value: network } = this.network;
    if (network === null) return;
    change({ sweep: swept.id, sweep_from: swept.from, sweep_to: swept.to });
    try {
      const controller = this.ownFlows.controllerFor(network);
      await this.sweep.run({ network, seed: this.seed.peek(), swept, ...controller });
      dismiss('sweep');
    } catch (error) {
      this.closeSweep();
      tellSimulationError(error, 'The sweep failed', 'sweep');
    }
  }

  /** Ends the sweep, if there is one, and removes its results. */
  closeSweep(): void {
    this.sweep.clear();
    change({ sweep: '', sweep_from: 0, sweep_to: 0 });
  }

  #tellFaults({ result, controller }: Run): void {
    const [fault] = result?.faults ?? [];
    if (fault === undefined) return dismiss('own-fault');
    const what = `The controller ${controller?.name ?? ''} failed at the ${fault.half}: ${fault.message}.`;
    notify('warning', 'own-fault', what, 'From then on, its call kept the last good rate.');
  }

  async downloadTrace(): Promise<void> {
    const { value: run } = this.live.run;
    if (run !== null) await downloadTrace(run, this.store);
  }

  async downloadMetrics(): Promise<void> {
    const { value: run } = this.live.run;
    if (run !== null) await downloadMetrics(run);
  }

  /** Saves the network shown by the controls, as a scenario file. */
  downloadScenario(): void {
    const { value: network } = this.network;
    if (network !== null) downloadScenario(network, this.seed.peek());
  }
}

/** The values to which these settings are reset when another scenario is shown. */
const FRESH = {
  cell: {},
  controller: '',
  seed: null,
  run: false,
  flow: '',
  draw: [],
  hide: [],
  at_s: 0,
  sweep: '',
  sweep_from: 0,
  sweep_to: 0,
  window_s: 0,
  from_s: 0,
};
