import { useSignal } from '@preact/signals';
import type { ComponentChildren } from 'preact';
import { useEffect, useRef } from 'preact/hooks';

import { supported } from '../../rtc/index.js';
import { dismiss, notices } from '../notices.js';
import type { Scope } from '../scope/scope.js';
import { openTraceFile, type Recorder } from '../session/recorder.js';
import type { Phase, Session } from '../session/session.js';
import { change, problems, settings } from '../settings.js';
import { isDark } from '../theme.js';
import { ChartBoard } from './chart_board.js';
import { CallPanel, ControllerPanel, LinkPanel, SharePanel, TracePanel } from './panels.js';
import { ParametersPanel } from './parameters_panel.js';
import { Picture, Summary } from './summary.js';

interface Parts {
  recorder: Recorder;
  session: Session;
  scope: Scope;
}

const PHASES: Record<Phase, string> = {
  idle: 'No call',
  starting: 'Starting…',
  waiting: 'Waiting for the other page…',
  connecting: 'Connecting…',
  connected: 'Live',
  failed: 'Failed',
};

/** `m:ss` since the call was connected. */
function Elapsed({ session }: { session: Session }) {
  const seconds = useSignal(0);
  useEffect(() => {
    const tick = (): void => {
      const since = session.connectedAt.peek();
      seconds.value = since === null ? 0 : Math.floor((performance.now() - since) / 1000);
    };
    const timer = setInterval(tick, 500);
    return () => clearInterval(timer);
  }, []);
  const { value } = seconds;
  return <time>{`${Math.floor(value / 60)}:${String(value % 60).padStart(2, '0')}`}</time>;
}

function Header({ session }: Pick<Parts, 'session'>) {
  const phase = session.phase.value;
  const running = phase !== 'idle' && phase !== 'failed';
  return (
    <header>
      <h1>
        <svg width="26" height="26" viewBox="0 0 32 32" aria-hidden="true">
          <path d="M3 20h6l4-12 6 16 4-8h6" fill="none" stroke="currentColor" stroke-width="2.8" stroke-linejoin="round" />
        </svg>
        ccscope
      </h1>
      <nav aria-label="Pages">
        <a href="./" aria-current="page">
          Call
        </a>
      </nav>
      <p class={`phase ${phase}`} role="status">
        {PHASES[phase]}
      </p>
      {phase === 'connected' && <Elapsed session={session} />}
      <span class="spring" />
      <button type="button" class={running ? 'stop' : 'start'} onClick={() => void (running ? session.stop() : session.start())}>
        {running ? 'Stop' : 'Start'}
      </button>
      <button
        type="button"
        class="quiet"
        aria-label={isDark.value ? 'Light theme' : 'Dark theme'}
        title={isDark.value ? 'Light theme' : 'Dark theme'}
        onClick={() => change({ theme: isDark.value ? 'light' : 'dark' })}
      >
        {isDark.value ? '☀' : '☾'}
      </button>
    </header>
  );
}

function Notices({ session }: Pick<Parts, 'session'>) {
  const { message } = supported();
  const all = [
    ...(message ? [{ level: 'warning', code: 'browser', message, fix: '' }] : []),
    ...problems.value.map(({ field, got, expected }) => ({
      level: 'warning',
      code: `url-${field}`,
      message: `In the address, ${field}=${got} was not understood: expected ${expected}.`,
      fix: 'The default is used instead.',
    })),
    ...(session.status.value?.notices ?? []),
    ...notices.value,
  ];
  return (
    <ul class="notices" aria-live="polite" aria-label="Notices">
      {all.map(({ level, code, message: text, fix }) => (
        <li key={code} class={level}>
          <b>{level === 'error' ? 'Error' : level === 'warning' ? 'Note' : 'Info'}</b>
          <span>
            {text} {fix && <span class="fix">{fix.charAt(0).toUpperCase() + fix.slice(1)}</span>}
          </span>
          <button
            type="button"
            class="quiet"
            aria-label="Dismiss"
            onClick={() => {
              dismiss(code);
              problems.value = problems.value.filter(({ field }) => `url-${field}` !== code);
            }}
          >
            ×
          </button>
        </li>
      ))}
    </ul>
  );
}

function Video({ stream, label, children }: { stream: MediaStream | null; label: string; children?: ComponentChildren }) {
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

/** Where numbers come from: which bottleneck, who is in charge, how times are taken. */
function Provenance({ session }: Pick<Parts, 'session'>) {
  const status = session.status.value;
  if (!status) return null;
  const late = session.lateness.value;
  const inCharge = { control: 'GCC in control', cap: 'GCC caps the browser’s controller', observe: 'the browser’s own controller' };
  const asked = status.effectiveMode === status.requestedMode ? '' : ` (${status.requestedMode} was asked for)`;
  const bottleneck = {
    shaper: `shaper, real packets${late ? `, p95 ${late.p95_ms.toFixed(1)} ms late` : ''}`,
    'in-page': 'in the page, whole frames',
    none: 'none here',
  };
  const facts = [
    ['In charge', inCharge[status.effectiveMode] + asked],
    ['Bottleneck', bottleneck[status.bottleneck]],
    ['Send times', status.sendTimeSource === 'trailer' ? 'frame trailer' : 'RTP timestamps (shadow mode)'],
    ['Arrival times', status.arrivalTimeSource === 'receiveTime' ? 'last packet’s arrival' : 'callback (coarse)'],
  ];
  return (
    <dl class="provenance">
      {facts.map(([name, value]) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd>{value}</dd>
        </div>
      ))}
    </dl>
  );
}

function Welcome({ session }: Pick<Parts, 'session'>) {
  const { capacity, queue, rtt_ms, controller, preset, bottleneck } = settings.value;
  return (
    <div class="welcome">
      <h2>A real WebRTC call, under the scope</h2>
      <p>
        Start connects two peers in this page over a link of <b>{capacity}</b> with a <b>{queue}</b> queue and <b>{rtt_ms} ms</b> RTT
        {bottleneck === 'in-page' ? ' (inside the page)' : ''}.{' '}
        {controller === 'gcc' ? (
          <>
            Google Congestion Control (<b>{preset}</b>), running in WebAssembly, reads the timing of every video frame and sets the bitrate.
          </>
        ) : (
          <>The browser’s own controller sets the bitrate; GCC watches.</>
        )}
      </p>
      <p>Rates, queue, delay gradient and threshold then draw themselves here. Change the link while it runs and watch it react.</p>
      <button type="button" class="start" onClick={() => void session.start()}>
        Start
      </button>
      <p class="hint">Or drop a recorded trace here.</p>
    </div>
  );
}

export function App({ recorder, session, scope }: Parts) {
  const dragging = useSignal(false);
  const phase = session.phase.value;
  const running = phase !== 'idle' && phase !== 'failed';
  const { kind, version, header } = recorder.shown.value;
  const mode = session.status.value?.effectiveMode ?? String(header['mode'] ?? '');
  useEffect(() => {
    if (kind !== 'nothing') void scope.reload(kind === 'file' ? 'all' : 'newest');
  }, [version]);
  const onDrop = (event: DragEvent): void => {
    event.preventDefault();
    dragging.value = false;
    const [file] = event.dataTransfer?.files ?? [];
    if (file && !running) void openTraceFile(recorder, file);
  };
  return (
    <div
      class={`page${dragging.value ? ' dragging' : ''}`}
      onDrop={onDrop}
      onDragOver={(event) => {
        event.preventDefault();
        dragging.value = true;
      }}
      onDragLeave={(event) => {
        if (event.relatedTarget === null) dragging.value = false;
      }}
    >
      <Header session={session} />
      <Notices session={session} />
      <main>
        <section class="scope" aria-label="Scope">
          <div class="glance">
            <Summary scope={scope} session={session} />
            <div class="videos">
              <Video stream={session.localStream.value} label="Sent" />
              <Video stream={session.remoteStream.value} label="Received">
                <Picture session={session} />
              </Video>
            </div>
          </div>
          <Provenance session={session} />
          <ChartBoard scope={scope} mode={mode} />
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
    </div>
  );
}
