/** The editor of the flows: calls, TCP, and calls with the user's own controller. */
import { OwnControllerField } from './own_controller_field.js';
import { LazyDetails } from '../../../ui/lazy_details.js';
import { addFlow, removeFlow, type MediaFlow } from '../../edits.js';
import type { ScenarioFlow } from '../../../../scenario/scenario.js';
import type { Lab } from '../../lab.js';
import { presetOf } from '../../controller_choice.js';
import { MediaFields, SharedFields, TcpFields } from './flow_fields.js';

const CALL: MediaFlow = { kind: 'media', name: 'call', preset: 'gcc' };
const TCP: ScenarioFlow = { kind: 'tcp', name: 'tcp', congestion_control: 'cubic' };
/** The buttons add flows until the list has this many entries. */
const MOST_FLOWS = 50;

/** Describes a flow, for example `2 × gcc, from 10 s`. */
function flowText(flow: ScenarioFlow, own: string | undefined): string {
  const { count = 1, start_s = 0, stop_s } = flow;
  const what =
    flow.kind === 'tcp'
      ? `TCP ${(flow.congestion_control ?? 'cubic') === 'cubic' ? 'CUBIC' : 'NewReno'}`
      : flow.own_controller === undefined
        ? presetOf(flow)
        : own === undefined
          ? `${presetOf(flow)} in place of ${flow.own_controller}`
          : `own controller ${own}`;
  const when = [
    ...(start_s > 0 ? [`from ${start_s} s`] : []),
    ...(stop_s === undefined ? [] : [`to ${stop_s} s`]),
  ];
  return [`${count === 1 ? '' : `${count} × `}${what}`, ...when].join(', ');
}

function FlowItem({ lab, flow }: { lab: Lab; flow: ScenarioFlow }) {
  const { name } = flow;
  const own = lab.ownFlows.own.value?.name;
  const network = lab.network.value;
  return (
    <li>
      <LazyDetails
        summary={
          <>
            <b>{name}</b> {flowText(flow, own)}
          </>
        }
      >
        {() => (
          <>
            {flow.kind === 'media' ? (
              <MediaFields lab={lab} flow={flow} own={own} />
            ) : (
              <TcpFields lab={lab} flow={flow} />
            )}
            <SharedFields lab={lab} flow={flow} durationS={network?.duration_s ?? 0} />
          </>
        )}
      </LazyDetails>
      <button
        type="button"
        class="quiet"
        aria-label={`Remove ${name}`}
        title={`Remove ${name}`}
        disabled={network?.flows.length === 1}
        onClick={() => lab.edit(`remove ${name}`, removeFlow(name))}
      >
        ×
      </button>
    </li>
  );
}

export function FlowsPanel({ lab }: { lab: Lab }) {
  const network = lab.network.value;
  if (!network) return null;
  const isFull = network.flows.length >= MOST_FLOWS;
  const add = (flow: ScenarioFlow): void => lab.edit(`add ${network.flows.length}`, addFlow(flow));
  return (
    <details class="panel" open>
      <summary>Flows</summary>
      <ul class="flows">
        {network.flows.map((flow) => (
          <FlowItem key={flow.name} lab={lab} flow={flow} />
        ))}
      </ul>
      <div class="row">
        <button type="button" disabled={isFull} onClick={() => add(CALL)}>
          + call
        </button>
        <button
          type="button"
          disabled={isFull}
          title="A TCP connection in the same queue, such as a download"
          onClick={() => add(TCP)}
        >
          + TCP
        </button>
      </div>
      <OwnControllerField lab={lab} isFull={isFull} />
    </details>
  );
}
