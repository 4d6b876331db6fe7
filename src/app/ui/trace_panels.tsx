/** Sidebar: the recording as a file, a printed report, and links to this view and to this call. */
import { signal, useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';

import { openDropped } from '../dropped.js';
import { saveAs } from '../files.js';
import { printReport } from '../print.js';
import { openTraceFile, type Recorder } from '../session/recorder.js';
import type { Session } from '../session/session.js';
import { change, linkTo, settings } from '../settings.js';
import { DEFAULT_STATE, type AppState } from '../state.js';
import { CopyButton } from './copy_button.js';

/**
 * Whether a copied link includes the shown time window (`withTime`) and the theme (`withTheme`). The user chooses
 * both.
 */
const withTime = signal(false);
const withTheme = signal(false);

/** The state in a copied link. The time window and the theme are left out unless the user includes them. */
function shared(): AppState {
  const state = settings.peek();
  const { window_s, from_s, paused, theme } = DEFAULT_STATE;
  return {
    ...state,
    ...(!withTime.peek() && { window_s, from_s, paused }),
    ...(!withTheme.peek() && { theme }),
  };
}

/** The link that makes another page the far side of this call. */
function joinLink(): string {
  const room = settings.peek().room || crypto.randomUUID().slice(0, 8);
  change({ room, role: 'send' });
  return linkTo({ ...shared(), role: 'receive', autostart: true });
}

export function TracePanel({ recorder, session }: { recorder: Recorder; session: Session }) {
  const running = session.phase.value !== 'idle' && session.phase.value !== 'failed';
  const { shown } = recorder;
  /** The file that was saved last, and whether more rows came after it; null if no file was saved. */
  const saved = useSignal<{ name: string; grows: boolean } | null>(null);
  const { version } = shown.value;
  useEffect(() => void (saved.value = null), [version]);
  const save = async (): Promise<void> => {
    const created = shown.value.header.created ?? new Date().toISOString();
    const name = `ccscope-${created.replaceAll(/[:.]/g, '-')}.ndjson`;
    saveAs(await recorder.export(), name);
    recorder.saved(running);
    saved.value = { name, grows: running };
  };
  return (
    <details class="panel" open>
      <summary>Recording</summary>
      <p class="hint">Every call is recorded. Drop a recording anywhere on the page to look at it.</p>
      <div class="row">
        <button type="button" disabled={!recorder.hasRows.value} onClick={() => void save()}>
          Save to a file
        </button>
        <label class={`button${running ? ' disabled' : ''}`} title={running ? 'Stop the call first' : ''}>
          Open a file…
          <input
            type="file"
            accept=".ndjson,.jsonl,application/x-ndjson"
            disabled={running}
            aria-description={running ? 'Stop the call first' : ''}
            onChange={({ currentTarget }) => {
              const [file] = currentTarget.files ?? [];
              if (file) void openDropped('trace', file, (trace) => openTraceFile(recorder, trace));
              currentTarget.value = '';
            }}
          />
        </label>
      </div>
      <p class="hint saved" aria-live="polite">
        {saved.value &&
          `Saved as ${saved.value.name}${saved.value.grows ? '; later rows are not in it' : ''}.`}
      </p>
      {recorder.opening.value !== null && (
        <progress aria-label="Reading the file" value={recorder.opening.value} />
      )}
    </details>
  );
}

const FAR_SIDE = {
  idle: 'Another tab or machine takes the far side, through the local server, with the join link.',
  running: 'Stop the call to invite another tab or machine to take the far side.',
};

export function SharePanel({ running }: { running: boolean }) {
  const { role, room } = settings.value;
  return (
    <details class="panel" open={role !== 'loopback'}>
      <summary>Share</summary>
      <div class="row">
        <CopyButton text={() => linkTo(shared())}>Copy link to this view</CopyButton>
        <button type="button" onClick={printReport}>
          Print report
        </button>
      </div>
      <label class="check">
        <input
          type="checkbox"
          checked={withTime.value}
          onChange={({ currentTarget }) => (withTime.value = currentTarget.checked)}
        />{' '}
        With the part of the time that is shown
      </label>
      <label class="check">
        <input
          type="checkbox"
          checked={withTheme.value}
          onChange={({ currentTarget }) => (withTheme.value = currentTarget.checked)}
        />{' '}
        With the theme
      </label>
      <p class="hint">
        {role === 'loopback' && `Both peers are in this page. ${FAR_SIDE[running ? 'running' : 'idle']}`}
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
