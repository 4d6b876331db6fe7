/**
 * The Lab: the user chooses an experiment, runs one cell of it (one combination of the values of its axes), and looks
 * inside the run.
 */
import { useSignal } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';

import { formatMs, formatRate, formatRatio } from '../../../charts/index.js';
import { parseSchedule } from '../../../link/capacity_text.js';
import { cellLabel, instantiate } from '../../../scenario/cells.js';
import type { FlowMetrics, WindowMetrics } from '../../../core/simulation.js';
import { useNarrow } from '../../../boards/chart_figure.js';
import type { Scope } from '../../../boards/scope.js';
import { SymbolText } from '../../../boards/symbol_text.js';
import { Wheel } from '../../../boards/wheel.js';
import { chartTools } from '../../ui/chart_tools.js';
import { CopyButton } from '../../ui/copy_button.js';
import { DropPage } from '../../ui/drop_page.js';
import { NoticesList } from '../../ui/notices_list.js';
import { PageHeader } from '../../ui/page_header.js';
import { ReportHead } from '../../ui/report_head.js';
import { openDropped } from '../../dropped.js';
import { notices } from '../../notices.js';
import { CONTROLLER_TITLES } from '../controller_choice.js';
import type { Lab } from '../lab.js';
import { hasFlowQueues, type Run } from '../../../runs/run.js';
import { differenceText, runFacts } from '../run_facts.js';
import { change, linkTo, problems, settings } from '../settings.js';
import { FlowTable } from './flow_table.js';
import { FlowsPanel } from './network/flows_panel.js';
import { NetworkPanel } from './network/network_panel.js';
import { Inside } from './inside.js';
import { LabWhy, PinnedWhy } from './lab_why.js';
import { isNearMaximum } from '../../../runs/flow_columns.js';
import { CellPanel, FilesPanel, FlowPanel, ScenarioPanel } from './panels.js';
import { Published } from './published.js';
import { RunCharts } from '../../../runs/run_charts.js';
import { SweepPanel } from './sweep_panel.js';

interface Parts {
  lab: Lab;
  scope: Scope;
}

function stateText({ isLoading, live }: Lab): string {
  if (isLoading.value) return 'Loading…';
  if (live.isRunning.value) return 'Simulating';
  const result = live.run.value?.result;
  if (result?.cancelled === true) return 'Cancelled';
  return result ? 'Done' : 'Ready';
}

/** The user has seen what a button says once it has said so for this long. */
const SEEN_MS = 400;

function LabHeader({ lab }: { lab: Lab }) {
  const { live, history } = lab;
  // Only a long run can be cancelled: a short one ends too soon.
  const running = live.isLong.value;
  // A change of the network also starts a run, so "Run" may become "Cancel" just before the user presses it. A press
  // at that moment was meant for "Run", and must not cancel the run.
  const cancelShownMs = useRef(Infinity);
  useEffect(() => void (cancelShownMs.current = running ? performance.now() : Infinity), [running]);
  const pressedMs = useRef<number | null>(null);
  return (
    <PageHeader
      page="lab"
      theme={settings.value.theme}
      onTheme={(theme) => change({ theme })}
      action={
        <>
          <button
            type="button"
            class="quiet"
            aria-label="Undo"
            title="Undo (Ctrl+Z)"
            disabled={!history.canUndo.value}
            onClick={() => lab.undo()}
          >
            ↶
          </button>
          <button
            type="button"
            class="quiet"
            aria-label="Redo"
            title="Redo (Ctrl+Shift+Z)"
            disabled={!history.canRedo.value}
            onClick={() => lab.redo()}
          >
            ↷
          </button>
          <CopyButton text={() => linkTo(settings.peek())}>Copy link</CopyButton>
          <button
            type="button"
            class={running ? 'stop' : 'start'}
            disabled={!running && (lab.isLoading.value || lab.loaded.value === null)}
            onPointerDown={({ timeStamp }) => (pressedMs.current = timeStamp)}
            onKeyDown={() => (pressedMs.current = null)}
            onClick={({ timeStamp }) => {
              const atMs = pressedMs.current ?? timeStamp;
              pressedMs.current = null;
              if (!running) void lab.start();
              else if (atMs - cancelShownMs.current >= SEEN_MS) live.cancel();
            }}
          >
            {running ? 'Cancel' : 'Run'}
          </button>
        </>
      }
    >
      <p class={`phase${live.isRunning.value ? ' connected' : ''}`} role="status">
        {stateText(lab)}
      </p>
      {running && <progress aria-label="Simulated" value={live.share.value} />}
    </PageHeader>
  );
}

/** Whether the capacity of the flow's path changes during a run. */
function isVarying({ scenario, cell }: Run, { direction }: FlowMetrics): boolean {
  const { capacity = 0 } = instantiate(scenario, cell)[direction] ?? {};
  return typeof capacity === 'object' || parseSchedule(capacity, { outage: true }).length > 1;
}

interface GlanceProps {
  run: Run;
  window: WindowMetrics;
  flow: FlowMetrics;
}

/** The most important numbers of the first media flow or, if there is none, of the first flow. */
function Glance({ run, window, flow }: GlanceProps) {
  const path = window[flow.direction];
  const delay = flow.kind === 'media' ? flow.probeQueueDelayUs : flow.queueDelayUs;
  const several = window.flows.length > 1;
  /** A note that names the flow, if there are several. */
  const ofFlow = (note: string): string => (several ? `${flow.name}: ${note}` : note);
  const capacity = `${formatRate(path.capacityBps)}${isVarying(run, flow) ? ' mean capacity' : ''}`;
  const waiting = ofFlow(flow.kind === 'media' ? 'RTT − RTT min' : 'one way');
  const { maxBitrateBps = Infinity } = run.flows.find((each) => each.flow === flow.flow) ?? {};
  const target = isNearMaximum(flow, maxBitrateBps)
    ? `near its maximum of ${formatRate(maxBitrateBps)}`
    : 'mean';
  const rows: readonly (readonly [name: string, value: string, note: string])[] = [
    ['Received', formatRate(flow.receiveRateBps), ofFlow('mean')],
    [
      several ? 'Share of the link' : 'Utilisation',
      formatRatio(flow.receiveRateBps / path.capacityBps),
      ofFlow(`of ${capacity}`),
    ],
    // With a single flow, the flow's own utilisation already is that of the bottleneck.
    ...(several ? [['Bottleneck', formatRatio(path.utilisation), 'used by all flows'] as const] : []),
    ...(!several && flow.kind === 'media'
      ? [['Target', formatRate(flow.targetRateBps), target] as const]
      : []),
    ['Queuing p50', formatMs(delay.p50 / 1e3), waiting],
    ['Queuing p95', formatMs(delay.p95 / 1e3), waiting],
    ['Loss', formatRatio(flow.lossRatio), ofFlow(`${flow.lostPackets} packets`)],
  ];
  return (
    <table class="summary">
      <caption class="visually-hidden">The whole run, {flow.name}</caption>
      <tbody>
        {rows.map(([name, value, note]) => (
          <tr key={name}>
            <th scope="row">{name}</th>
            <td class="value">{value}</td>
            <td class="note">{note}</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

/** Groups digits, as in 86,976. (Formatting by locale takes 15 ms the first time.) */
const grouped = (count: number): string => String(count).replace(/\B(?=(\d{3})+$)/g, ',');

/** The controllers of the media flows, each once. */
function controllersText({ flows, controller: own }: Run): string {
  const names = flows.flatMap(({ kind, controller, preset }) => {
    if (controller === undefined)
      return kind === 'media' && own !== undefined ? [`own controller ${own.name}`] : [];
    const title = CONTROLLER_TITLES[controller];
    return preset === undefined || preset === controller ? title : `${title} (${preset})`;
  });
  return [...new Set(names)].join(', ');
}

/** Describes the run that is shown. The settings may have changed since that run. */
function Provenance({ run }: { run: Run }) {
  const { scenario, cell, seed, result } = run;
  const simulated = `${((result?.timeUs ?? 0) / 1e6).toFixed(0)} s${result?.cancelled === true ? ', then cancelled' : ''}`;
  const facts: readonly [string, string][] = [
    ['Scenario', scenario.id],
    ['Cell', cellLabel(scenario, cell)],
    ['Controllers', controllersText(run)],
    ['Seed', String(seed)],
    ['Simulated', result === null ? '' : `${simulated} in ${(result.elapsedMs / 1e3).toFixed(2)} s`],
    ['Events', result === null ? '' : grouped(result.events)],
  ];
  return (
    <dl class="provenance">
      {facts
        .filter(([, value]) => value !== '')
        .map(([fact, value]) => (
          <div key={fact}>
            <dt>{fact}</dt>
            <dd>
              <SymbolText text={value} />
            </dd>
          </div>
        ))}
    </dl>
  );
}

const titleOf = (name: string, difference: string): string =>
  difference === '' ? name : `${name}: ${difference}`;

/**
 * The charts of the run. If a run is pinned, the numbers and charts of both runs, with those of the pinned
 * run on the left.
 */
function Compared({ lab, scope }: Parts) {
  const run = lab.live.run.value;
  const pinned = lab.pin.pinned.value;
  if (run === null) return null;
  const charts = (each: Run, of: Scope) => (
    <Wheel>
      <RunCharts
        flows={each.flows}
        scope={of}
        draw={settings.value.draw}
        detailed={settings.value.flow}
        flowQueues={hasFlowQueues(each)}
        tools={chartTools}
        hidden={settings.value.hide}
        onHide={(hide) => change({ hide })}
      />
    </Wheel>
  );
  if (pinned === null) return charts(run, scope);
  const before = pinned.live.run.value;
  return (
    <div class="compared">
      <section aria-label="Pinned run">
        <h2>{titleOf('Pinned', before ? differenceText(before, run) : '')}</h2>
        {before && (
          <>
            <RunGlance run={before} />
            <Provenance run={before} />
            {charts(before, pinned.scope)}
            <PinnedWhy
              store={pinned.live.store}
              run={before}
              scope={pinned.scope}
              detailed={settings.value.flow}
            />
          </>
        )}
      </section>
      <section aria-label="Present run">
        <h2>{titleOf('Now', before ? differenceText(run, before) : '')}</h2>
        <RunGlance run={run} />
        <Provenance run={run} />
        {charts(run, scope)}
      </section>
    </div>
  );
}

function RunGlance({ run }: Pick<GlanceProps, 'run'>) {
  const [window] = run.result?.windows ?? [];
  const flow = window?.flows.find(({ kind }) => kind === 'media') ?? window?.flows[0];
  return window && flow ? <Glance run={run} window={window} flow={flow} /> : null;
}

/** The buttons for the run that is shown. */
function RunTools({ lab }: { lab: Lab }) {
  const isPinned = lab.pin.pinned.value !== null;
  return (
    <div class="toolbar" role="toolbar" aria-label="Run">
      <button
        type="button"
        disabled={lab.live.run.value?.result == null}
        title="Keep this run at the left while the other changes"
        onClick={() => void lab.pinRun()}
      >
        {isPinned ? 'Pin this run instead' : 'Pin this run to compare'}
      </button>
      {isPinned && (
        <button type="button" onClick={() => lab.unpin()}>
          Unpin
        </button>
      )}
    </div>
  );
}

function Results({ lab, scope }: Parts) {
  const run = lab.live.run.value;
  if (run === null) return <Welcome lab={lab} />;
  const pinned = lab.pin.pinned.value;
  const isPinned = pinned !== null;
  const before = pinned?.live.run.value ?? null;
  // With several flows, the table comes first, since it shows how they share the link.
  const isTableFirst = Math.max(run.flows.length, before?.flows.length ?? 0) > 1;
  const table = (
    <FlowTable
      run={run}
      store={lab.store}
      pinned={pinned && before && { run: before, store: pinned.live.store }}
    />
  );
  return (
    <>
      <ReportHead
        title={() => run.scenario.title}
        facts={() => runFacts(run)}
        link={() => linkTo(settings.value)}
      />
      {!isPinned && <RunGlance run={run} />}
      {!isPinned && <Provenance run={run} />}
      {isTableFirst && table}
      <Inside lab={lab} scope={scope} />
      <Published run={run} withheld={lab.withheld.value} />
      <div class="run-actions">
        <RunTools lab={lab} />
        <SweepPanel lab={lab} />
      </div>
      <Compared lab={lab} scope={scope} />
      <LabWhy
        store={lab.store}
        run={run}
        scope={scope}
        detailed={settings.value.flow}
        isCompared={isPinned}
      />
      {!isTableFirst && table}
    </>
  );
}

function Welcome({ lab }: { lab: Lab }) {
  const loaded = lab.loaded.value;
  return (
    <div class="welcome">
      <h2>{loaded?.scenario.title ?? 'The papers’ experiments'}</h2>
      <p>
        {loaded?.scenario.description ?? 'Choose an experiment at the side, or open a scenario of your own.'}
      </p>
      <p>
        Run simulates one cell of it, packet by packet, in this page, with the code that a live call uses. The
        same seed gives the same numbers everywhere.
      </p>
      <button
        type="button"
        class="start"
        disabled={loaded === null || lab.live.isRunning.value}
        onClick={() => void lab.start()}
      >
        Run
      </button>
    </div>
  );
}

/** The controls. On a phone they cover the lower part of the screen; folding them up uncovers the charts. */
function Controls({ lab }: { lab: Lab }) {
  const isNarrow = useNarrow();
  const isFolded = useSignal(false);
  const isHidden = isNarrow && isFolded.value;
  return (
    <aside aria-label="Controls">
      {isNarrow && (
        <button
          type="button"
          class="fold"
          aria-expanded={!isHidden}
          onClick={() => (isFolded.value = !isFolded.value)}
        >
          {isHidden ? '▲ Show the controls' : '▼ Hide the controls'}
        </button>
      )}
      <div class="controls" hidden={isHidden}>
        <button type="button" onClick={() => void lab.begin()}>
          Build a network of your own
        </button>
        <ScenarioPanel lab={lab} />
        {/* Disabled while a scenario is loading: a change made then would be lost. */}
        <fieldset class="bare" disabled={lab.isLoading.value}>
          <NetworkPanel lab={lab} />
          <FlowsPanel lab={lab} />
          <CellPanel lab={lab} />
          <FlowPanel lab={lab} />
        </fieldset>
        <FilesPanel lab={lab} />
      </div>
    </aside>
  );
}

/**
 * Undoes on Ctrl+Z and redoes on Ctrl+Shift+Z, unless the focus is in a text area or in an input other than a
 * slider. Returns a function that removes the key handler.
 */
function followHistoryKeys(lab: Lab): () => void {
  const onKeyDown = (event: KeyboardEvent): void => {
    const { key, target, shiftKey } = event;
    if (key.toLowerCase() !== 'z' || !(event.ctrlKey || event.metaKey) || isText(target)) return;
    event.preventDefault();
    if (shiftKey) lab.redo();
    else lab.undo();
  };
  document.addEventListener('keydown', onKeyDown);
  return () => document.removeEventListener('keydown', onKeyDown);
}

const isText = (target: EventTarget | null): boolean =>
  target instanceof HTMLTextAreaElement || (target instanceof HTMLInputElement && target.type !== 'range');

function Notices() {
  return <NoticesList problems={problems.value} notices={notices.value} />;
}

/** Reads no signal itself: if it did, each change of the signal would render the whole page again. */
export function LabApp({ lab, scope }: Parts) {
  useEffect(() => followHistoryKeys(lab), [lab]);
  return (
    <DropPage enabled onFile={(file) => void openDropped('scenario', file, (own) => lab.openFile(own))}>
      <LabHeader lab={lab} />
      <Notices />
      <main>
        <section class="scope lab" aria-label="Results" aria-busy={lab.live.isRunning}>
          <Results lab={lab} scope={scope} />
        </section>
        <Controls lab={lab} />
      </main>
    </DropPage>
  );
}
