/** A table of each flow's metrics in each time window, and the choice of the flows that are drawn. */
import { useSignal } from '@preact/signals';

import { formatRate } from '../../../charts/index.js';
import type { FlowMetrics, WindowMetrics } from '../../../core/simulation.js';
import { FLOW_COLUMNS, isNearMaximum, pathText } from '../../../runs/flow_columns.js';
import { drawnFlows } from '../../../runs/flows.js';
import type { FlowInfo, Run } from '../../../runs/run.js';
import { useTcpRtt } from '../../../runs/tcp_rtt.js';
import type { TraceStore } from '../../../worker/trace/trace_client.js';
import { change, settings } from '../settings.js';

/** The number of flows that are listed at first for each time window. */
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

/** A run whose numbers are in the table, with its trace. */
interface Side {
  run: Run;
  store: Pick<TraceStore, 'view'>;
  /** The name of the run in a comparison; empty without a comparison. */
  label: string;
}

/** When a flow runs within a window; empty if it runs all the time. */
function spanText({ startUs = 0, stopUs = Infinity }: Partial<FlowInfo>, window: WindowMetrics): string {
  const from = startUs > window.beginUs ? `from ${asSeconds(startUs)} s` : '';
  const to = stopUs < window.endUs ? `to ${asSeconds(stopUs)} s` : '';
  return [from, to].filter(Boolean).join(' ');
}

interface FlowRowProps {
  side: Side;
  window: WindowMetrics;
  flow: FlowMetrics;
  isDrawnChosen: boolean;
}

function FlowRow({ side: { run, store, label }, window, flow, isDrawnChosen }: FlowRowProps) {
  const [shown = flow] = useTcpRtt([flow], window, store);
  const info = run.flows.find((each) => each.flow === flow.flow) ?? {};
  const notes = [flow.direction === 'backward' ? 'way back' : '', spanText(info, window), label];
  return (
    <tr>
      <td>{isDrawnChosen && <DrawnBox name={flow.name} run={run} />}</td>
      <th scope="row">
        {flow.name} <small>{notes.filter(Boolean).join(', ')}</small>
      </th>
      {FLOW_COLUMNS.map(({ title, value }) => (
        <td key={title} class="number">
          {flow.sentPackets === 0 ? '–' : value(shown, window)}
        </td>
      ))}
    </tr>
  );
}

/** The numbers of the forward path, and the names of the calls that are near their maximum bitrates. */
function windowText({ run }: Side, window: WindowMetrics): string {
  const limited = window.flows.flatMap((flow) => {
    const { maxBitrateBps = Infinity } = run.flows.find((each) => each.flow === flow.flow) ?? {};
    return isNearMaximum(flow, maxBitrateBps)
      ? [`${flow.name} is near its maximum of ${formatRate(maxBitrateBps)}`]
      : [];
  });
  return [pathText(window), ...limited.slice(0, ROWS)].join(' · ');
}

interface WindowRowsProps {
  name: string;
  /** Each run that has this time window, with its metrics in the window. */
  measured: readonly { side: Side; window: WindowMetrics }[];
  isFirst: boolean;
}

function WindowRows({ name, measured, isFirst }: WindowRowsProps) {
  const all = useSignal(false);
  const flows = [
    ...new Set([...measured].reverse().flatMap(({ window }) => window.flows.map((flow) => flow.name))),
  ];
  const shown = all.value ? flows : flows.slice(0, ROWS);
  const more = flows.length - shown.length;
  const spans = measured.map(({ window }) => `${asSeconds(window.beginUs)} to ${asSeconds(window.endUs)} s`);
  const isOneSpan = new Set(spans).size === 1;
  return (
    <tbody>
      <tr class="window-row">
        <th scope="rowgroup" colSpan={FLOW_COLUMNS.length + 2}>
          <b>{name === 'run' ? 'Whole run' : name}</b> {isOneSpan && spans[0]}
          {measured.map(({ side, window }, n) => (
            <span key={side.label} class={`hint ${side.label}`}>
              {[side.label, isOneSpan ? '' : spans[n]].filter(Boolean).join(' ')}
              {side.label && ': '}
              {windowText(side, window)}
            </span>
          ))}
        </th>
      </tr>
      {shown.flatMap((flowName) =>
        measured.map(({ side, window }, n) => {
          const flow = window.flows.find((each) => each.name === flowName);
          const isNow = n === measured.length - 1;
          return (
            flow && (
              <FlowRow
                key={`${flowName} ${side.label}`}
                side={side}
                window={window}
                flow={flow}
                isDrawnChosen={isFirst && isNow}
              />
            )
          );
        }),
      )}
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

interface TableProps extends Omit<Side, 'label'> {
  /** The run that `run` is compared with. Each flow then has one row for each of the two runs. */
  pinned?: Omit<Side, 'label'> | null;
}

export function FlowTable({ run, store, pinned = null }: TableProps) {
  if (run.result === null) return null;
  const sides: readonly Side[] =
    pinned === null
      ? [{ run, store, label: '' }]
      : [
          { ...pinned, label: 'pinned' },
          { run, store, label: 'now' },
        ];
  return (
    <section class="results" aria-labelledby="flows-title">
      <h2 id="flows-title">{pinned === null ? 'Flows' : 'Flows, pinned and now'}</h2>
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
          {run.result.windows.map(({ name }, n) => (
            <WindowRows
              key={`${name} ${n}`}
              name={name}
              measured={sides.flatMap((side) => {
                const window = side.run.result?.windows[n];
                return window?.name === name ? [{ side, window }] : [];
              })}
              isFirst={n === 0}
            />
          ))}
        </table>
      </div>
      <details class="hint">
        <summary>What the columns say</summary>
        <p>
          {FLOW_COLUMNS.filter(({ isExplained }) => isExplained)
            .map(({ title, about }) => `${title}: ${about}.`)
            .join(' ')}
        </p>
      </details>
    </section>
  );
}
