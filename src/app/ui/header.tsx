/** The top of the page: the page's name, the state of the call, and the button that starts and ends the call. */
import { useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';

import { MACHINE_CODE } from '../../rtc/machine_monitor.js';
import type { Recorder } from '../session/recorder.js';
import type { Phase, Session } from '../session/session.js';
import { change, settings } from '../settings.js';
import { CopyButton } from './copy_button.js';
import { NoticeText } from './notices_list.js';
import { PageHeader } from './page_header.js';
import { SaveButton } from './save_button.js';
import { copiedLink } from './trace_panels.js';

const PHASES: Record<Phase, string> = {
  idle: 'No call',
  starting: 'Starting…',
  waiting: 'Waiting for the other page…',
  connecting: 'Connecting…',
  connected: 'Live',
  failed: 'Failed',
};

/** The time since the call was first connected, as `m:ss`. An automatic restart does not reset this time. */
function Elapsed({ session }: { session: Session }) {
  const seconds = useSignal(0);
  useEffect(() => {
    const tick = (): void => {
      const since = session.beganAt.peek();
      seconds.value = since === null ? 0 : Math.floor((performance.now() - since) / 1000);
    };
    const timer = setInterval(tick, 500);
    return () => clearInterval(timer);
  }, []);
  const { value } = seconds;
  return <time>{`${Math.floor(value / 60)}:${String(value % 60).padStart(2, '0')}`}</time>;
}

/** Warns that the machine is too busy for the call. When opened, explains how the load distorts the numbers. */
function MachineMark({ session }: { session: Session }) {
  const notice = session.status.value?.notices.find(({ code }) => code === MACHINE_CODE);
  return (
    <div class="machine" aria-live="polite">
      {notice && (
        <details>
          <summary title={notice.message}>Machine too busy</summary>
          <p>
            <NoticeText notice={notice} />
          </p>
        </details>
      )}
    </div>
  );
}

export function Header({ session, recorder }: { session: Session; recorder: Recorder }) {
  const phase = session.phase.value;
  const running = phase !== 'idle' && phase !== 'failed';
  return (
    <PageHeader
      page="call"
      theme={settings.value.theme}
      onTheme={(theme) => change({ theme })}
      action={
        <>
          {recorder.hasRows.value && <SaveButton recorder={recorder}>Save</SaveButton>}
          <CopyButton text={copiedLink}>Copy link</CopyButton>
          <button
            type="button"
            class={running ? 'stop' : 'start'}
            onClick={() => void (running ? session.stop() : session.start())}
          >
            {running ? 'Stop' : 'Start'}
          </button>
        </>
      }
    >
      <p class={`phase ${phase}`} role="status">
        {PHASES[phase]}
      </p>
      {session.beganAt.value !== null && <Elapsed session={session} />}
      {running && <MachineMark session={session} />}
    </PageHeader>
  );
}
