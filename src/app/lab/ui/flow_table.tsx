/** A table of each flow's metrics in each time window, and the choice of the flows that are drawn. */
import { useSignal } from '@preact/signals';

import type { WindowMetrics } from '../../../core/simulation.js';
import { FLOW_COLUMNS, pathText } from '../../../runs/flow_columns.js';
import { drawnFlows } from '../../../runs/flows.js';
import type { Run } from '../../../runs/run.js';
import { useTcpRtt } from '../../../runs/tcp_rtt.js';
import type { TraceStore } from '../../../worker/trace/trace_client.js';
import { change, settings } from '../settings.js';

/** The number of rows that are shown at first for each time window. */
const ROWS = 12;

const asSeconds = (us: number): string => String(Number((us / 1e6).toFixed(3)));

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

interface TableProps {
  run: Run;
  store: Pick<TraceStore, 'view'>;
}

function WindowRows({ window, run, store, first }: TableProps & { window: WindowMetrics; first: boolean }) {
  const all = useSignal(false);
  const flows = useTcpRtt(all.value ? window.flows : window.flows.slice(0, ROWS), window, store);
  const more = window.flows.length - flows.length;
  const span = `${asSeconds(window.beginUs)} to ${asSeconds(window.endUs)} s`;
  return (
    <tbody>
      <tr class="window-row">
        <th scope="rowgroup" colSpan={FLOW_COLUMNS.length + 2}>
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
          {FLOW_COLUMNS.map(({ title, value }) => (
            <td key={title} class="number">
              {flow.sentPackets === 0 ? '–' : value(flow, window)}
            </td>
          ))}
        </tr>
      ))}
      {more > 0 && (
        <tr>
          <td colSpan={FLOW_COLUMNS.length + 2}>
            <button type="button" onClick={() => (all.value = true)}>
              Show {more} more flows
            </button>
          </td>
        </tr>
      )}
    </tbody>
  );
}

export function FlowTable({ run, store }: TableProps) {
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
              {FLOW_COLUMNS.map(({ title, unit, about }) => (
                <th key={title} scope="col" class="number" title={about}>
                  {title} {unit && <small>{unit}</small>}
                </th>
              ))}
            </tr>
          </thead>
          {run.result.windows.map((window, n) => (
            <WindowRows key={`${window.name} ${n}`} window={window} run={run} store={store} first={n === 0} />
          ))}
        </table>
      </div>
      <p class="hint">
        {FLOW_COLUMNS.filter(({ isExplained }) => isExplained)
          .map(({ title, about }) => `${title}: ${about}.`)
          .join(' ')}
      </p>
    </section>
  );
}
