/** The top of the page: what this is, how the call is, and the button that starts and ends it. */
import { useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';

import type { Phase, Session } from '../session/session.js';
import { change } from '../settings.js';
import { isDark } from '../theme.js';

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

export function Header({ session }: { session: Session }) {
  const phase = session.phase.value;
  const running = phase !== 'idle' && phase !== 'failed';
  return (
    <header>
      <h1>
        <svg width="26" height="26" viewBox="0 0 32 32" aria-hidden="true">
          <path
            d="M3 20h6l4-12 6 16 4-8h6"
            fill="none"
            stroke="currentColor"
            stroke-width="2.8"
            stroke-linejoin="round"
          />
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
      <button
        type="button"
        class={running ? 'stop' : 'start'}
        onClick={() => void (running ? session.stop() : session.start())}
      >
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
