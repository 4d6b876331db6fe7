/** The sidebar: everything that can be set, grouped by what it belongs to. */
import { useSignal } from '@preact/signals';

import { parseRate, parseSchedule } from '../../scenario/link_config.js';
import { SCHEMA } from '../../core/schema.js';
import { formatRate } from '../../charts/index.js';
import { openTraceFile, saveAs, type Recorder } from '../session/recorder.js';
import type { Session } from '../session/session.js';
import { change, linkTo, settings } from '../settings.js';
import { ChoiceField, NumberField, TextField } from './fields.js';

const CAPACITIES = ['300kbps', '500kbps', '1mbps', '2mbps', '1.5mbps,0.6mbps@20s,1.5mbps@40s'];
const QUEUES = ['droptail:100ms', 'droptail:300ms', 'droptail:64kB', 'droptail:100p'];

/** The capacity as a slider from 100 kbps to 3 Mbps, in equal ratios. */
const SLIDER = { low: 1e5, high: 3e6, steps: 100 };

function CapacitySlider() {
  const bps = parseSchedule(settings.value.capacity)[0]?.capacityBps ?? parseRate('1mbps');
  const span = Math.log(SLIDER.high / SLIDER.low);
  const step = (Math.log(bps / SLIDER.low) / span) * SLIDER.steps;
  const set = (to: number): void => {
    const next = SLIDER.low * Math.exp((span * to) / SLIDER.steps);
    change({ capacity: `${Math.round(next / 1e4) * 10}kbps` });
  };
  return (
    <input
      type="range"
      aria-label="Capacity"
      aria-valuetext={formatRate(bps)}
      min={0}
      max={SLIDER.steps}
      value={step}
      onInput={(e) => set(Number(e.currentTarget.value))}
    />
  );
}

export function LinkPanel() {
  return (
    <details class="panel" open>
      <summary>Link</summary>
      <TextField
        field="capacity"
        label="Capacity"
        help="A rate, or a schedule: 1.5mbps,0.6mbps@20s"
        suggestions={CAPACITIES}
      />
      <CapacitySlider />
      <TextField field="queue" label="Queue" help="droptail with its limit: 300ms, 64kB or 100p (packets)" suggestions={QUEUES} />
      <NumberField field="rtt_ms" label="RTT" unit="ms" help="Round-trip time of the empty link" min={0} max={500} step={5} />
      <NumberField field="loss" label="Random loss" unit="%" help="Share of packets lost at random" min={0} max={20} step={0.5} scale={0.01} />
      <NumberField field="jitter_ms" label="Jitter" unit="ms" help="Standard deviation of a random delay" min={0} max={50} step={1} />
    </details>
  );
}

const MODES = [
  { value: 'control', label: 'Control: GCC instead of the browser' },
  { value: 'cap', label: 'Cap: GCC limits the browser' },
  { value: 'observe', label: 'Observe: GCC only watches' },
];

export function ControllerPanel({ running }: { running: boolean }) {
  const { controller, preset } = settings.value;
  const chosen = SCHEMA.presets.find(({ name }) => name === preset);
  return (
    <details class="panel" open>
      <summary>Controller</summary>
      <ChoiceField
        field="controller"
        label="Who decides the bitrate"
        help="Takes effect with the next call"
        disabled={running}
        options={[
          { value: 'gcc', label: 'GCC (WebAssembly core)' },
          { value: 'native', label: 'The browser’s own (native)' },
        ]}
      />
      <ChoiceField
        field="preset"
        label={controller === 'native' ? 'Preset that watches' : 'Preset'}
        help={chosen?.description ?? ''}
        options={SCHEMA.presets.map(({ name, description }) => ({ value: name, label: name, help: description }))}
      />
      <p class="hint">{chosen?.description}</p>
      {controller === 'gcc' && <ChoiceField field="mode" label="Mode" help="Takes effect with the next call" disabled={running} options={MODES} />}
    </details>
  );
}

export function CallPanel({ running }: { running: boolean }) {
  return (
    <details class="panel">
      <summary>Call</summary>
      {running && <p class="hint">Takes effect with the next call.</p>}
      <ChoiceField
        field="source"
        label="Video"
        help="What is sent"
        options={[
          { value: 'synthetic', label: 'Synthetic: fills the bitrate' },
          { value: 'camera', label: 'Your camera' },
        ]}
      />
      <ChoiceField
        field="bottleneck"
        label="Bottleneck"
        help="Where the link is"
        options={[
          { value: 'shaper', label: 'Shaper: real packets (local server)' },
          { value: 'in-page', label: 'In the page: whole frames' },
        ]}
      />
      <NumberField field="start_bps" label="Start" unit="kbps" help="First target rate" min={50} max={2500} step={10} scale={1000} />
      <NumberField field="min_bps" label="Lowest" unit="kbps" help="Lowest target rate" min={10} max={1000} step={10} scale={1000} />
      <NumberField field="max_bps" label="Highest" unit="kbps" help="Highest target rate" min={100} max={5000} step={100} scale={1000} />
      <NumberField
        field="key_frame_interval_s"
        label="Key frame every"
        unit="s"
        help="0: only when the encoder wants one"
        min={0}
        max={30}
        step={1}
      />
      <NumberField field="duration_s" label="Stop after" unit="s" help="0: until you press Stop" min={0} max={300} step={10} />
    </details>
  );
}

/** Copies text and says so for a moment. */
function CopyButton({ text, children }: { text: () => string; children: string }) {
  const done = useSignal('');
  const copy = async (): Promise<void> => {
    try {
      await navigator.clipboard.writeText(text());
      done.value = 'Copied';
    } catch {
      done.value = 'Not allowed: copy the address instead';
    }
    setTimeout(() => (done.value = ''), 2000);
  };
  return (
    <button type="button" onClick={() => void copy()} aria-live="polite">
      {done.value || children}
    </button>
  );
}

/** The link under which another page becomes the far side of this call. */
function joinLink(): string {
  const room = settings.peek().room || crypto.randomUUID().slice(0, 8);
  change({ room, role: 'send' });
  return linkTo({ ...settings.peek(), role: 'receive', autostart: true });
}

export function TracePanel({ recorder, session }: { recorder: Recorder; session: Session }) {
  const running = session.phase.value !== 'idle' && session.phase.value !== 'failed';
  const { shown } = recorder;
  const download = async (): Promise<void> => {
    const created = shown.value.header.created ?? new Date().toISOString();
    saveAs(await recorder.export(), `ccscope-${created.replaceAll(/[:.]/g, '-')}.ndjson`);
  };
  return (
    <details class="panel" open>
      <summary>Trace</summary>
      <p class="hint">Every call is recorded. Drop a trace anywhere on the page to look at it.</p>
      <div class="row">
        <button type="button" disabled={!recorder.hasRows.value} onClick={() => void download()}>
          Download
        </button>
        <label class={`button${running ? ' disabled' : ''}`}>
          Open…
          <input
            type="file"
            accept=".ndjson,.jsonl,application/x-ndjson"
            disabled={running}
            onChange={({ currentTarget }) => {
              const [file] = currentTarget.files ?? [];
              if (file) void openTraceFile(recorder, file);
              currentTarget.value = '';
            }}
          />
        </label>
      </div>
      {shown.value.kind === 'file' && (
        <p class="hint">
          Shown: <b>{shown.value.name}</b>, preset {shown.value.header.preset ?? 'unknown'}
        </p>
      )}
    </details>
  );
}

export function SharePanel({ running }: { running: boolean }) {
  const { role, room } = settings.value;
  return (
    <details class="panel" open={role !== 'loopback'}>
      <summary>Share</summary>
      <div class="row">
        <CopyButton text={() => linkTo(settings.peek())}>Copy link to this view</CopyButton>
      </div>
      <p class="hint">
        {role === 'loopback' && 'Both peers are in this page. Another tab or machine can take the far side, through the local server:'}
        {role === 'send' && `This page sends, to whoever opens the join link (room ${room}).`}
        {role === 'receive' && `This page receives from the page that invited it (room ${room}).`}
      </p>
      <div class="row">
        {role !== 'receive' && !running && <CopyButton text={joinLink}>Copy join link</CopyButton>}
        {role !== 'loopback' && !running && (
          <button type="button" onClick={() => change({ role: 'loopback', room: '' })}>
            Back to one page
          </button>
        )}
      </div>
    </details>
  );
}
