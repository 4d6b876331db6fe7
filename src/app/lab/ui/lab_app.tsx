/** The Lab: choose an experiment, run one cell of it, look inside. */
import { formatMs, formatRate, formatRatio } from '../../../charts/index.js';
import { cellLabel } from '../../../scenario/cells.js';
import type { FlowMetrics, WindowMetrics } from '../../../core/simulation.js';
import type { Scope } from '../../../boards/scope.js';
import { DropPage } from '../../ui/drop_page.js';
import { NoticesList } from '../../ui/notices_list.js';
import { PageHeader } from '../../ui/page_header.js';
import { openDropped } from '../../dropped.js';
import { notices } from '../../notices.js';
import { CONTROLLER_TITLES } from '../controller_choice.js';
import type { Lab } from '../lab.js';
import type { Run } from '../run.js';
import { change, problems, settings } from '../settings.js';
import { FlowTable } from './flow_table.js';
import { CellPanel, FilesPanel, FlowPanel, ScenarioPanel } from './panels.js';
import { Published } from './published.js';
import { RunCharts } from './run_charts.js';

interface Parts {
  lab: Lab;
  scope: Scope;
}

function stateText(lab: Lab): string {
  const run = lab.run.value;
  if (lab.phase.value === 'loading') return 'Loading…';
  if (lab.phase.value === 'running') return 'Simulating';
  if (run?.result?.cancelled === true) return 'Cancelled';
  return run?.result ? 'Done' : 'Ready';
}

function LabHeader({ lab }: { lab: Lab }) {
  const running = lab.phase.value === 'running';
  return (
    <PageHeader
      page="lab"
      theme={settings.value.theme}
      onTheme={(theme) => change({ theme })}
      action={
        <button
          type="button"
          class={running ? 'stop' : 'start'}
          disabled={!running && lab.loaded.value === null}
          onClick={() => (running ? lab.cancel() : void lab.start())}
        >
          {running ? 'Cancel' : 'Run'}
        </button>
      }
    >
      <p class={`phase${running ? ' connected' : ''}`} role="status">
        {stateText(lab)}
      </p>
      {running && <progress aria-label="Simulated" value={lab.share.value} />}
    </PageHeader>
  );
}

/** The figures that one looks for first, of the first media flow or else of the first flow. */
function Glance({ window, flow }: { window: WindowMetrics; flow: FlowMetrics }) {
  const path = window[flow.direction];
  const delay = flow.kind === 'media' ? flow.probeQueueDelayUs : flow.queueDelayUs;
  const several = window.flows.length > 1;
  const rows: readonly [name: string, value: string, note: string][] = [
    ['Received', formatRate(flow.receiveRateBps), several ? flow.name : 'mean'],
    [
      'Utilisation',
      formatRatio(flow.receiveRateBps / path.capacityBps),
      `of ${formatRate(path.capacityBps)}`,
    ],
    ['Bottleneck', formatRatio(path.utilisation), several ? 'all flows' : 'used'],
    ['Queuing p50', formatMs(delay.p50 / 1e3), flow.kind === 'media' ? 'RTT − RTT min' : 'one way'],
    ['Queuing p95', formatMs(delay.p95 / 1e3), 'of the same'],
    ['Loss', formatRatio(flow.lossRatio), `${flow.lostPackets} packets`],
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

/** 86,976. (Formatting by locale takes 15 ms the first time.) */
const grouped = (count: number): string => String(count).replace(/\B(?=(\d{3})+$)/g, ',');

/** The controllers of the media flows, each once. */
function controllersText({ flows }: Run): string {
  const names = flows.flatMap(({ controller, preset }) => {
    if (controller === undefined) return [];
    const title = CONTROLLER_TITLES[controller];
    return preset === undefined || preset === controller ? title : `${title} (${preset})`;
  });
  return [...new Set(names)].join(', ');
}

/** What the figures and charts below are of: the settings may have moved on. */
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
            <dd>{value}</dd>
          </div>
        ))}
    </dl>
  );
}

function Results({ lab, scope }: Parts) {
  const run = lab.run.value;
  if (run === null) return <Welcome lab={lab} />;
  const [window] = run.result?.windows ?? [];
  const flow = window?.flows.find(({ kind }) => kind === 'media') ?? window?.flows[0];
  return (
    <>
      {window && flow && <Glance window={window} flow={flow} />}
      <Provenance run={run} />
      <Published run={run} />
      <RunCharts
        flows={run.flows}
        scope={scope}
        draw={settings.value.draw}
        detailed={settings.value.flow}
        hidden={settings.value.hide}
        onHide={(hide) => change({ hide })}
      />
      <FlowTable run={run} />
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
        disabled={loaded === null || lab.phase.value !== 'ready'}
        onClick={() => void lab.start()}
      >
        Run
      </button>
    </div>
  );
}

export function LabApp({ lab, scope }: Parts) {
  return (
    <DropPage
      enabled={lab.phase.value !== 'running'}
      onFile={(file) => void openDropped('scenario', file, (own) => lab.openFile(own))}
    >
      <LabHeader lab={lab} />
      <NoticesList problems={problems.value} notices={notices.value} />
      <main>
        <section class="scope lab" aria-label="Results">
          <Results lab={lab} scope={scope} />
        </section>
        <aside aria-label="Controls">
          <ScenarioPanel lab={lab} />
          <CellPanel lab={lab} />
          <FlowPanel lab={lab} />
          <FilesPanel lab={lab} />
        </aside>
      </main>
    </DropPage>
  );
}
