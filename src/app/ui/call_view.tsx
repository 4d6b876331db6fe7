/** Shows the call itself: its video, its controllers, and where its numbers come from. */
import type { ComponentChildren } from 'preact';
import { useEffect, useId, useRef } from 'preact/hooks';

import type { CallStatus } from '../../rtc/index.js';
import type { LatenessMs } from '../../link/server_protocol.js';
import type { TraceHeader } from '../../trace/index.js';
import { isOnPaper } from '../print.js';
import { recordedFlows } from '../../trace/recorded_flows.js';
import type { Recorder } from '../session/recorder.js';
import type { Session } from '../session/session.js';
import { shadowsOf, type DrawnController } from '../../boards/recorded_controllers.js';

export function Video({
  stream,
  label,
  children,
}: {
  stream: MediaStream | null;
  label: string;
  children?: ComponentChildren;
}) {
  const element = useRef<HTMLVideoElement>(null);
  useEffect(() => {
    if (element.current) element.current.srcObject = stream;
  }, [stream]);
  return (
    <figure class="video" hidden={stream === null}>
      <video ref={element} autoplay muted playsInline aria-label={`${label} video`} />
      <figcaption>
        {label} {children}
      </figcaption>
    </figure>
  );
}

interface FlowChoiceProps {
  flows: readonly number[];
  /** The trace's header, which may name the flows. */
  header: Partial<TraceHeader>;
  flow: number;
  onChoose: (flow: number) => void;
}

/** Lets the user choose which flow of an opened trace is shown. */
export function FlowChoice({ flows, header, flow, onChoose }: FlowChoiceProps) {
  const id = useId();
  const named = recordedFlows(header);
  return (
    <p class="flow-choice">
      <label for={id}>Flow</label>{' '}
      <select id={id} value={flow} onChange={({ currentTarget }) => onChoose(Number(currentTarget.value))}>
        {flows.map((number) => (
          <option key={number} value={number} selected={number === flow}>
            {named.find((each) => each.flow === number)?.name ?? number}
          </option>
        ))}
      </select>
    </p>
  );
}

type Facts = readonly (readonly [name: string, value: string])[];

const inChargeText = (mode: CallStatus['effectiveMode'], name: string): string =>
  ({
    control: `${name} in control`,
    cap: `${name} caps the browser’s controller`,
    observe: 'the browser’s own controller',
  })[mode];

/** Who decides the bitrate of a call, and who only watches. */
function controllersOfCall(status: CallStatus, name: string, shadows: readonly DrawnController[]): Facts {
  const { effectiveMode, requestedMode } = status;
  const asked = effectiveMode === requestedMode ? '' : ` (${requestedMode} was asked for)`;
  return [
    ['In charge', inChargeText(effectiveMode, name) + asked],
    ...shadowFacts(effectiveMode === 'observe' ? [{ name }, ...shadows] : shadows),
  ];
}

/** Where the link of a call is, and where its times come from. */
function measurementOfCall(status: CallStatus, lateness: LatenessMs | null): Facts {
  const { sendTimeSource, arrivalTimeSource } = status;
  const late = lateness ? `, p95 ${lateness.p95_ms.toFixed(1)} ms late` : '';
  const bottleneck = {
    shaper: `shaper, real packets${late}`,
    'in-page': 'in the page, whole frames',
    none: 'none here',
  };
  return [
    ['Bottleneck', bottleneck[status.bottleneck]],
    ['Send times', sendTimeSource === 'trailer' ? 'frame trailer' : 'RTP timestamps (shadow mode)'],
    ['Arrival times', arrivalTimeSource === 'receiveTime' ? 'last packet’s arrival' : 'callback (coarse)'],
  ];
}

/** The controllers that only watch. */
const shadowFacts = (shadows: readonly { name: string }[]): Facts =>
  shadows.length === 0 ? [] : [['Watching', shadows.map(({ name }) => name).join(', ')]];

/** The facts of an opened trace. Its header comes from a file, so its fields may have any value. */
function factsOfFile(name: string, header: Partial<TraceHeader>): Facts {
  const { source, created, controller, preset, mode } = header;
  const recorded = created === undefined ? '' : new Date(created).toLocaleString();
  const facts: Facts = [
    ['Recording', name],
    ['Source', [source, recorded].filter(Boolean).join(', ')],
    ['Controller', [controller, preset].filter(Boolean).join(', ')],
    ['Mode', typeof mode === 'string' ? mode : ''],
    ...shadowFacts(shadowsOf(header)),
  ];
  return facts.filter(([, value]) => value !== '');
}

function FactList({ facts }: { facts: Facts }) {
  return (
    <dl class="provenance">
      {facts.map(([fact, value]) => (
        <div key={fact}>
          <dt>{fact}</dt>
          <dd>{value}</dd>
        </div>
      ))}
    </dl>
  );
}

interface ProvenanceProps {
  session: Session;
  recorder: Recorder;
}

/** The file of an opened trace, and what its header says. */
export function FileFacts({ recorder }: Pick<ProvenanceProps, 'recorder'>) {
  const { name, header } = recorder.shown.value;
  return <FactList facts={factsOfFile(name, header)} />;
}

export function ControllersOfCall({ session, recorder }: ProvenanceProps) {
  const status = session.status.value;
  if (status === null) return null;
  const shadows = shadowsOf(recorder.shown.value.header);
  return <FactList facts={controllersOfCall(status, session.inCharge.value.name, shadows)} />;
}

/** Shows where the bottleneck of the call is and where its times come from. Opens over the page. */
export function HowMeasured({ session }: Pick<ProvenanceProps, 'session'>) {
  const status = session.status.value;
  if (status === null) return null;
  return (
    <details class="measured" open={isOnPaper.value}>
      <summary>How this is measured</summary>
      <FactList facts={measurementOfCall(status, session.lateness.value)} />
    </details>
  );
}
