import { useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';

import type { TraceHeader } from '../../trace/index.js';
import type { Filters, Scope } from '../scope/scope.js';
import { openTraceFile, type Recorder } from '../session/recorder.js';
import type { Session } from '../session/session.js';
import { FlowChoice, Provenance, Video } from './call_view.js';
import { ChartBoard } from './chart_board.js';
import { DropPage } from './drop_page.js';
import { Header } from './header.js';
import { Notices } from './call_notices.js';
import { CallPanel, ControllerPanel, LinkPanel } from './panels.js';
import { ParametersPanel } from './parameters_panel.js';
import { Picture, Summary } from './summary.js';
import { SharePanel, TracePanel } from './trace_panels.js';
import { Welcome } from './welcome.js';

interface Parts {
  recorder: Recorder;
  session: Session;
  scope: Scope;
}

/** Where the queue of a recorded call was, as its header says. */
function bottleneckOf({ link }: Partial<TraceHeader>): string {
  const at = typeof link === 'object' && link !== null && 'at' in link ? link.at : '';
  return typeof at === 'string' ? at : '';
}

/** Of a file with several flows one is shown, with the bottleneck of the forward path. */
function filtersFor(flow: number): Filters {
  if (Number.isNaN(flow)) return {};
  const ofFlow = { column: 'flow', value: flow };
  return { group: ofFlow, rate: ofFlow, queue: { column: 'link', value: 0 } };
}

export function App({ recorder, session, scope }: Parts) {
  const phase = session.phase.value;
  const running = phase !== 'idle' && phase !== 'failed';
  const { kind, version, header } = recorder.shown.value;
  const status = kind === 'file' ? null : session.status.value;
  const mode = status?.effectiveMode ?? header['mode'];
  const bottleneck = status?.bottleneck ?? bottleneckOf(header);
  const flows = useSignal<readonly number[]>([]);
  const flow = useSignal(NaN);
  useEffect(() => {
    if (kind === 'nothing') return;
    void scope.reload(kind === 'file' ? 'all' : 'newest').then((extent) => {
      const several = kind === 'file' && (extent.flows.length > 1 || extent.links.length > 1);
      flows.value = several ? extent.flows : [];
      flow.value = several ? (extent.flows[0] ?? NaN) : NaN;
    });
  }, [version]);
  useEffect(() => scope.setFilters(filtersFor(flow.value)), [flow.value]);
  return (
    <DropPage enabled={!running} onFile={(file) => void openTraceFile(recorder, file)}>
      <Header session={session} />
      <Notices session={session} />
      <main>
        <section class="scope" aria-label="Scope">
          <div class="glance">
            <Summary scope={scope} bottleneck={bottleneck} observes={mode === 'observe'} />
            <div class="videos">
              <Video stream={session.localStream.value} label="Sent" />
              <Video stream={session.remoteStream.value} label="Received">
                <Picture session={session} />
              </Video>
            </div>
          </div>
          <Provenance session={session} recorder={recorder} />
          {flows.value.length > 1 && (
            <FlowChoice
              flows={flows.value}
              header={header}
              flow={flow.value}
              onChoose={(chosen) => (flow.value = chosen)}
            />
          )}
          <ChartBoard scope={scope} inControl={mode === 'control'} live={kind !== 'file'} />
          {kind === 'nothing' && !running && <Welcome session={session} />}
        </section>
        <aside aria-label="Controls">
          <LinkPanel />
          <ControllerPanel running={running} />
          <ParametersPanel />
          <CallPanel running={running} />
          <TracePanel recorder={recorder} session={session} />
          <SharePanel running={running} />
        </aside>
      </main>
    </DropPage>
  );
}
