/** Sidebar: the recording as a file, a printed report, and links to this view and to this call. */
import { signal } from '@preact/signals';

import { openDropped } from '../dropped.js';
import { printReport } from '../print.js';
import { openTraceFile, type Recorder } from '../session/recorder.js';
import { change, linkTo, settings } from '../settings.js';
import { DEFAULT_STATE, type AppState } from '../state.js';
import { CopyButton } from './copy_button.js';
import { SaveButton } from './save_button.js';

/**
 * Whether a copied link includes the shown time window (`withTime`) and the theme (`withTheme`). The user chooses
 * both.
 */
const withTime = signal(false);
const withTheme = signal(false);

/**
 * The state in a copied link. The time window and the theme are left out unless the user includes them. A page that
 * sends to another one does not give away its room: whoever opens the link would be a second sender.
 */
function shared(): AppState {
  const state = settings.peek();
  const { window_s, from_s, paused, theme } = DEFAULT_STATE;
  return {
    ...state,
    ...(!withTime.peek() && { window_s, from_s, paused }),
    ...(!withTheme.peek() && { theme }),
    ...(state.role === 'send' && { role: 'loopback' as const, room: '' }),
  };
}

/** The link to the current settings. */
export const copiedLink = (): string => linkTo(shared());

/** A random name. Unlike `randomUUID`, `getRandomValues` also exists in pages that were loaded over plain HTTP. */
const newRoom = (): string =>
  Array.from(crypto.getRandomValues(new Uint8Array(4)), (byte) => byte.toString(16).padStart(2, '0')).join(
    '',
  );

/**
 * Makes this page the sending side of a call between two pages. Returns the link that makes another page the
 * receiving side.
 */
function joinLink(): string {
  const room = settings.peek().room || newRoom();
  change({ room, role: 'send' });
  return linkTo({ ...shared(), room, role: 'receive', autostart: true });
}

export function TracePanel({ recorder, running }: { recorder: Recorder; running: boolean }) {
  const saved = recorder.savedFile.value;
  return (
    <details class="panel" open>
      <summary>Recording</summary>
      <p class="hint">
        Every call is recorded. A recording is saved as NDJSON, a text file. Drop one anywhere on the page to
        look at it.
      </p>
      <div class="row">
        <SaveButton recorder={recorder}>Save to a file</SaveButton>
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
        {saved && `Saved as ${saved.name}.${saved.grows ? ' The rest of the call is not in this file.' : ''}`}
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
        <CopyButton text={copiedLink}>Copy link to these settings</CopyButton>
        <button type="button" onClick={printReport}>
          Print report
        </button>
      </div>
      <p class="hint">The measured values are not in a link: save the recording, and send the file.</p>
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
        {(role === 'send' || (role === 'loopback' && !running)) && (
          <CopyButton text={joinLink}>Copy join link</CopyButton>
        )}
        {role !== 'loopback' && !running && (
          <button type="button" onClick={() => change({ role: 'loopback', room: '' })}>
            Back to one page
          </button>
        )}
      </div>
    </details>
  );
}
