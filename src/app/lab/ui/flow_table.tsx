/** The metrics of each flow by window, and the choice of the flows that are drawn. */
import { useSignal } from '@preact/signals';

import { formatRate, formatRatio } from '../../../charts/index.js';
import type { FlowMetrics, WindowMetrics } from '../../../core/simulation.js';
import { drawnFlows } from '../flows.js';
import type { Run } from '../run.js';
import { change, settings } from '../settings.js';

/** The number of rows of a window that are shown at first. */
const ROWS = 12;

const ms = (us: number): string => (Number.isFinite(us) ? (us / 1e3).toFixed(1) : '–');
const seconds = (us: number): string => (Number.isFinite(us) ? (us / 1e6).toFixed(1) : '–');
const share = (ratio: number): string => (Number.isFinite(ratio) ? formatRatio(ratio) : '–');
const index = (value: number): string => (Number.isFinite(value) ? value.toFixed(3) : '–');

interface Column {
  title: string;
  unit: string;
  about: string;
  value: (flow: FlowMetrics, window: WindowMetrics) => string;
}

const COLUMNS: readonly Column[] = [
  {
    title: 'Received',
    unit: '',
    about: 'Rate that arrived, on the wire',
    value: (flow) => formatRate(flow.receiveRateBps),
  },
  {
    title: 'Utilisation',
    unit: '',
    about: 'Received rate over the capacity of its path',
    value: (flow, window) => share(flow.receiveRateBps / window[flow.direction].capacityBps),
  },
  {
    title: 'Loss',
    unit: '',
    about: 'Bytes lost over bytes sent',
    value: (flow) => share(flow.lossRatio),
  },
  {
    title: 'Target',
    unit: '',
    about: 'Time average of what the controller asked for',
    value: (flow) => formatRate(flow.targetRateBps),
  },
  {
    title: 'Queuing p50',
    unit: 'ms',
    about: 'Median of RTT − RTT_min of RTCP probes; of TCP, of the packets’ one-way queuing delay',
    value: (flow) => ms(queuing(flow).p50),
  },
  {
    title: 'p95',
    unit: 'ms',
    about: '95th percentile of the same',
    value: (flow) => ms(queuing(flow).p95),
  },
  {
    title: 'RTT p50',
    unit: 'ms',
    about: 'Median round trip of RTCP probes',
    value: (flow) => ms(flow.rttUs.p50),
  },
  {
    title: 'Converged',
    unit: 's',
    about: 'From its start until it first received 90 % of its share of the capacity',
    value: (flow) => seconds(flow.convergenceUs),
  },
];

const queuing = (flow: FlowMetrics) => (flow.kind === 'media' ? flow.probeQueueDelayUs : flow.queueDelayUs);

const asSeconds = (us: number): string => String(Number((us / 1e6).toFixed(3)));

/** The path's own line: everything that it carried. */
function pathText({ forward, jain, flows }: WindowMetrics): string {
  const drops = Object.values(forward.drops).reduce((sum, count) => sum + count, 0);
  const media = flows.filter(({ kind }) => kind === 'media').length;
  return [
    `bottleneck ${share(forward.utilisation)} of ${formatRate(forward.capacityBps)}`,
    `queuing p50 ${ms(forward.queueDelayUs.p50)} ms, p95 ${ms(forward.queueDelayUs.p95)} ms`,
    `${drops} dropped`,
    ...(media > 1 ? [`Jain’s index ${index(jain)}`] : []),
  ].join(' · ');
}

function DrawnBox({ name, run }: { name: string; run: Run }) {
  const drawn = drawnFlows(run.flows, settings.value.draw).map((flow) => flow.name);
  const toggle = (): void => {
    const draw = drawn.includes(name) ? drawn.filter((other) => other !== name) : [...drawn, name];
    if (draw.length > 0) change({ draw });
  };
  return (
    <input type="checkbox" aria-label={`Draw ${name}`} checked={drawn.includes(name)} onChange={toggle} />
  );
}

function WindowRows({ window, run, first }: { window: WindowMetrics; run: Run; first: boolean }) {
  const all = useSignal(false);
  const flows = all.value ? window.flows : window.flows.slice(0, ROWS);
  const more = window.flows.length - flows.length;
  const span = `${asSeconds(window.beginUs)} to ${asSeconds(window.endUs)} s`;
  return (
    <tbody>
      <tr class="window-row">
        <th scope="rowgroup" colSpan={COLUMNS.length + 2}>
          <b>{window.name === 'run' ? 'Whole run' : window.name}</b> {span}{' '}
          <span class="hint">{pathText(window)}</span>
        </th>
      </tr>
      {flows.map((flow) => (
        <tr key={flow.flow}>
          <td>{first && <DrawnBox name={flow.name} run={run} />}</td>
          <th scope="row">
            {flow.name} {flow.direction === 'backward' && <small>way back</small>}
          </th>
          {COLUMNS.map(({ title, value }) => (
            <td key={title} class="number">
              {flow.sentPackets === 0 ? '–' : value(flow, window)}
            </td>
          ))}
        </tr>
      ))}
      {more > 0 && (
        <tr>
          <td colSpan={COLUMNS.length + 2}>
            <button type="button" onClick={() => (all.value = true)}>
              Show {more} more flows
            </button>
          </td>
        </tr>
      )}
    </tbody>
  );
}

export function FlowTable({ run }: { run: Run }) {
  if (run.result === null) return null;
  return (
    <section class="results" aria-labelledby="flows-title">
      <h2 id="flows-title">Flows</h2>
      <div class="scroll">
        <table>
          <thead>
            <tr>
              <th scope="col">Draw</th>
              <th scope="col">Flow</th>
              {COLUMNS.map(({ title, unit, about }) => (
                <th key={title} scope="col" class="number" title={about}>
                  {title} {unit && <small>{unit}</small>}
                </th>
              ))}
            </tr>
          </thead>
          {run.result.windows.map((window, n) => (
            <WindowRows key={`${window.name} ${n}`} window={window} run={run} first={n === 0} />
          ))}
        </table>
      </div>
    </section>
  );
}
