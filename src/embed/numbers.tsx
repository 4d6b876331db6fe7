/** The numbers behind the charts, for people who cannot see the charts or want exact values. */
import { useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';

import { formatMs, formatRate, formatRatio } from '../charts/index.js';
import { percentiles } from '../calls/percentile.js';
import { chosenRows, type Filters } from '../boards/filters.js';
import type { TableName } from '../core/schema.js';
import type { WindowMetrics } from '../core/simulation.js';
import { FLOW_COLUMNS } from '../runs/flow_columns.js';
import { detailedFlow } from '../runs/flows.js';
import { useTcpRtt } from '../runs/tcp_rtt.js';
import type { TraceStore } from '../worker/trace/trace_client.js';
import type { Recording } from './recording.js';

/** The largest number of flows in the table. A longer table is too long for a figure in a page. */
const MOST_FLOWS = 20;

/** A table of the flows of a run, measured over the whole run. */
export function FlowNumbers({ window, store }: { window: WindowMetrics; store: Pick<TraceStore, 'view'> }) {
  const flows = useTcpRtt(window.flows.slice(0, MOST_FLOWS), window, store);
  const more = window.flows.length - flows.length;
  return (
    <details>
      <summary>Numbers</summary>
      <div class="scroll" tabIndex={0} role="group" aria-label="Numbers">
        <table>
          <caption>The whole run</caption>
          <thead>
            <tr>
              <th scope="col">Flow</th>
              {FLOW_COLUMNS.map(({ title, unit, about }) => (
                <th key={title} scope="col" class="number" title={about}>
                  {title} {unit}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {flows.map((flow) => (
              <tr key={flow.flow}>
                <th scope="row">{flow.name}</th>
                {FLOW_COLUMNS.map(({ title, value }) => (
                  <td key={title} class="number">
                    {flow.sentPackets === 0 ? '–' : value(flow, window)}
                  </td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
        {more > 0 && <p>And {more} more flows.</p>}
      </div>
    </details>
  );
}

/**
 * The rows of a recording's table, each with the trace column that it summarises. If the recording lacks the column,
 * the row is left out.
 */
const QUANTITIES: readonly {
  title: string;
  table: TableName;
  column: string;
  text: (value: number) => string;
}[] = [
  { title: 'Target', table: 'rate', column: 'target_bps', text: formatRate },
  { title: 'Received', table: 'group', column: 'received_rate_bps', text: formatRate },
  { title: 'Queuing delay', table: 'queue', column: 'queue_delay_us', text: (us) => formatMs(us / 1e3) },
  { title: 'RTT', table: 'rate', column: 'rtt_us', text: (us) => formatMs(us / 1e3) },
  { title: 'Loss', table: 'rate', column: 'fraction_lost', text: formatRatio },
];

interface RecordingNumbersProps {
  store: Pick<TraceStore, 'view'>;
  recording: Recording;
  /** The flow whose controller is shown. If empty, the first flow that has a controller is shown. */
  flow: string;
}

interface Row {
  title: string;
  /** The median, the 95th percentile and the maximum. */
  values: readonly string[];
}

export function RecordingNumbers({ store, recording, flow }: RecordingNumbersProps) {
  const rows = useSignal<readonly Row[]>([]);
  useEffect(() => {
    let isNewest = true;
    void Promise.all(QUANTITIES.map((quantity) => rowOf(store, quantity, filtersOf(recording, flow))))
      .catch(() => [])
      .then((read) => {
        if (isNewest) rows.value = read.flatMap((row) => row ?? []);
      });
    return () => void (isNewest = false);
  }, [store, recording, flow]);
  if (rows.value.length === 0) return null;
  return (
    <details>
      <summary>Numbers</summary>
      <div class="scroll" tabIndex={0} role="group" aria-label="Numbers">
        <table>
          <caption>The whole recording</caption>
          <thead>
            <tr>
              <th scope="col">Quantity</th>
              {['Median', '95th percentile', 'Largest'].map((title) => (
                <th key={title} scope="col" class="number">
                  {title}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {rows.value.map(({ title, values }) => (
              <tr key={title}>
                <th scope="row">{title}</th>
                {values.map((value, index) => (
                  <td key={index} class="number">
                    {value}
                  </td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </details>
  );
}

function filtersOf({ drawn }: Recording, wanted: string): Filters {
  if (drawn.kind === 'call') return drawn.filters;
  const shown = detailedFlow(drawn.flows, wanted);
  if (shown === null) return {};
  const ofFlow = { column: 'flow', value: shown.flow };
  return {
    rate: ofFlow,
    group: ofFlow,
    queue: { column: 'link', value: shown.direction === 'backward' ? 1 : 0 },
  };
}

/** The statistics of one quantity; null if the recording has no values for it. */
async function rowOf(
  store: Pick<TraceStore, 'view'>,
  { title, table, column, text }: (typeof QUANTITIES)[number],
  filters: Filters,
): Promise<Row | null> {
  const { columns } = await store.view({ ...chosenRows(table, filters), columns: [column] });
  const values = (columns[column] ?? new Float64Array()).filter((value) => !Number.isNaN(value));
  if (values.length === 0) return null;
  return { title, values: percentiles(values, [50, 95, 100]).map(text) };
}
