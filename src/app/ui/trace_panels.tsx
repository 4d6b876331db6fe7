/** Sidebar: the trace as a file, and links to this view and to this call. */
import { saveAs } from '../files.js';
import { openTraceFile, type Recorder } from '../session/recorder.js';
import type { Session } from '../session/session.js';
import { change, linkTo, settings } from '../settings.js';
import { CopyButton } from './copy_button.js';

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
      {recorder.opening.value !== null && (
        <progress aria-label="Reading the file" value={recorder.opening.value} />
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
        {role === 'loopback' &&
          'Both peers are in this page. Another tab or machine can take the far side, through the local server:'}
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
