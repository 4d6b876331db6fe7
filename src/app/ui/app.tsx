import { useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';

import type { TraceEvent } from '../../core/index.js';
import type { Sharing } from '../../reasons/index.js';
import type { TraceHeader } from '../../trace/index.js';
import type { Scope } from '../../boards/scope.js';
import { openDropped } from '../dropped.js';
import { callFacts } from '../session/call_facts.js';
import { openTraceFile, type Recorder } from '../session/recorder.js';
import type { Session } from '../session/session.js';
import { linkTo, settings } from '../settings.js';
import { ControllersOfCall, FileFacts, FlowChoice, HowMeasured, Video } from './call_view.js';
import { ChartBoard } from './chart_board.js';
import { DropPage } from './drop_page.js';
import {
  besideOf,
  controllerOfFile,
  filtersFor,
  firstFlow,
  headerOfLastCall,
  ownFlows,
  shadowsOf,
} from '../../boards/recorded_controllers.js';
import { DetailChoice } from './detail_choice.js';
import { Header } from './header.js';
import { ReportHead } from './report_head.js';
import { Notices } from './call_notices.js';
import { ControllerPanel, isControllerFile, takeController } from './controller_panel.js';
import { CallPanel, LinkPanel } from './panels.js';
import { ParametersPanel } from './parameters_panel.js';
import { EncoderFacts, Picture, useMedia } from './media.js';
import { SharingText } from './sharing.js';
import { Summary } from './summary.js';
import { SharePanel, TracePanel } from './trace_panels.js';
import { Welcome } from './welcome.js';
import { IncidentPanel } from '../incidents/panel.js';
import { TwinAction, TwinPanel, useTwin } from '../twin/panel.js';
import { sourceProblem } from '../../twin/sources.js';
import { WhyPanel } from './why_panel.js';

interface Parts {
  recorder: Recorder;
  session: Session;
  scope: Scope;
}

/** The location of the queue in a recorded call, according to the recording's header. */
function bottleneckOf({ link }: Partial<TraceHeader>): string {
  const at = typeof link === 'object' && link !== null && 'at' in link ? link.at : '';
  return typeof at === 'string' ? at : '';
}

/** Opens a dropped file: a controller at any time, a trace only while no call is running. */
function openFile(file: File, { recorder, session }: Parts, running: boolean): void {
  if (isControllerFile(file)) takeController(file, running, session.controller);
  else if (!running) void openDropped('trace', file, (trace) => openTraceFile(recorder, trace));
}

export function App(parts: Parts) {
  const { recorder, session, scope } = parts;
  const phase = session.phase.value;
  const running = phase !== 'idle' && phase !== 'failed';
  const { kind, version, header } = recorder.shown.value;
  const status = kind === 'file' ? null : session.status.value;
  const mode = status?.effectiveMode ?? header['mode'];
  const bottleneck = status?.bottleneck ?? bottleneckOf(header);
  const media = useMedia(session);
  const flows = useSignal<readonly number[]>([]);
  const flow = useSignal(NaN);
  const severalLinks = useSignal(false);
  const detail = useSignal<number | null>(null);
  const sharing = useSignal<Sharing | null>(null);
  const shared = kind === 'call' ? sharing.value : null;
  const twin = useTwin(recorder, scope, running);
  const shadows = shadowsOf(header, kind === 'file' ? flow.value : NaN);
  const beside = besideOf(header);
  const isBefore = (kind === 'nothing' || kind === 'sample') && !running;
  const events = useSignal<readonly TraceEvent[]>([]);
  const inCharge =
    kind === 'call'
      ? session.inCharge.value
      : controllerOfFile(headerOfLastCall(header, events.value), flow.value);
  const detailed = shadows.find((shadow) => shadow.flow === detail.value) ?? inCharge;
  useEffect(() => {
    if (kind === 'nothing' || kind === 'sample') return;
    const reading = Promise.all([
      scope.reload(kind === 'file' ? 'all' : 'newest'),
      kind === 'file' ? recorder.store.events() : [],
    ]);
    void reading.then(([extent, read]) => {
      const { header: shown } = recorder.shown.peek();
      events.value = read;
      const own = ownFlows(shown, extent.flows);
      const isOfMany = extent.flows.length > 1 || extent.links.length > 1 || shadowsOf(shown).length > 0;
      const several = kind === 'file' && (isOfMany || own.length > 1);
      flows.value = several ? own : [];
      severalLinks.value = extent.links.length > 1;
      flow.value = kind === 'call' ? 0 : several ? firstFlow(shown, own) : NaN;
      detail.value = null;
      sharing.value = null;
    });
  }, [version]);
  useEffect(
    () =>
      scope.setFilters(
        filtersFor(flow.value, detailed === inCharge ? flow.value : detailed.flow, severalLinks.value),
      ),
    [flow.value, detailed.flow, severalLinks.value],
  );
  return (
    <DropPage enabled={true} onFile={(file) => openFile(file, parts, running)}>
      <Header session={session} recorder={recorder} />
      <Notices session={session} />
      <main>
        <section class="scope" aria-label="Scope">
          <ReportHead
            title={() => (kind === 'file' ? `Recording of a call: ${recorder.shown.value.name}` : 'A call')}
            facts={() => callFacts(recorder.shown.value, settings.value)}
            link={() => linkTo(settings.value)}
          />
          {isBefore && <Welcome session={session} isSample={kind === 'sample'} />}
          <div class="glance">
            <Summary
              scope={scope}
              isSample={kind === 'sample'}
              isLive={running}
              bottleneck={bottleneck}
              observes={mode === 'observe'}
              inCharge={inCharge}
              shadows={shadows}
              beside={beside}
              detailed={detailed}
            />
            <div class="videos">
              <Video stream={session.localStream.value} label="Sent" />
              <Video stream={session.remoteStream.value} label="Received">
                <Picture media={media} />
              </Video>
            </div>
          </div>
          {kind === 'file' && <FileFacts recorder={recorder} />}
          {(kind === 'file' || kind === 'call') && (
            <div class="actions">
              {kind === 'call' && <ControllersOfCall session={session} recorder={recorder} />}
              {recorder.hasRows.value && (
                <TwinAction twin={twin} problem={kind === 'file' ? sourceProblem(header) : null} />
              )}
              <DetailChoice
                inCharge={inCharge}
                shadows={shadows}
                detailed={detailed.flow}
                onChoose={(chosen) => (detail.value = chosen)}
              />
              {kind === 'call' && <HowMeasured session={session} />}
            </div>
          )}
          {kind === 'call' && (
            <div class="sharing">
              {shared !== null && (
                <SharingText
                  sharing={shared}
                  name={mode !== 'observe' && detailed === inCharge ? inCharge.name : null}
                  isRunning={running}
                />
              )}
            </div>
          )}
          {flows.value.length > 1 && (
            <FlowChoice
              flows={flows.value}
              header={header}
              flow={flow.value}
              onChoose={(chosen) => (flow.value = chosen)}
            />
          )}
          <ChartBoard
            scope={scope}
            inControl={mode === 'control'}
            live={running || isBefore}
            inCharge={inCharge}
            shadows={shadows}
            beside={beside}
            detailed={detailed}
          />
          {kind === 'call' && <EncoderFacts media={media} />}
          <IncidentPanel recorder={recorder} scope={scope} />
          <TwinPanel twin={twin} scope={scope} />
          {kind !== 'nothing' && kind !== 'sample' && (
            <WhyPanel
              scope={scope}
              store={recorder.store}
              flow={Number.isNaN(flow.value) ? null : detailed.flow}
              link={severalLinks.value ? 0 : null}
              header={header}
              sharing={sharing}
              isSharingSaid={shared !== null}
            />
          )}
        </section>
        <aside aria-label="Controls">
          <LinkPanel running={running} />
          <ControllerPanel running={running} session={session} />
          <ParametersPanel />
          <CallPanel running={running} lacksServer={session.lacksServer.value} />
          <TracePanel recorder={recorder} running={running} />
          <SharePanel running={running} />
        </aside>
      </main>
    </DropPage>
  );
}
