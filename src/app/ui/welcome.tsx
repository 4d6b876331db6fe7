import type { Session } from '../session/session.js';
import { titleOf, watcherOf } from '../controllers.js';
import { settings } from '../settings.js';

interface WelcomeProps {
  session: Session;
  /** Whether the sample is shown behind this text. */
  isSample: boolean;
}

/** Explains what Start will do with the present settings. */
export function Welcome({ session, isSample }: WelcomeProps) {
  const { capacity, queue, rtt_ms, controller, preset, bottleneck } = settings.value;
  const watcher = watcherOf(settings.value);
  return (
    <div class="welcome">
      <h2>A real WebRTC call, under the scope</h2>
      <p>
        Start connects two peers in this page over a link of <b>{capacity}</b> with a <b>{queue}</b> queue and{' '}
        <b>{rtt_ms} ms</b> RTT
        {bottleneck === 'in-page' ? ' (inside the page)' : ''}.{' '}
        {controller === 'gcc' ? (
          <>
            Google Congestion Control (<b>{preset}</b>), running in WebAssembly, reads the timing of every
            video frame and sets the bitrate.
          </>
        ) : controller === 'native' ? (
          <>The browser’s own controller sets the bitrate; {titleOf(watcher ?? controller)} watches.</>
        ) : (
          <>
            <b>{titleOf(controller)}</b> reads the timing of every video frame and sets the bitrate.
          </>
        )}
      </p>
      <p>
        Rates, queue, delay gradient and threshold then draw themselves here. Change the link while it runs
        and watch it react.
      </p>
      <button type="button" class="start" onClick={() => void session.start()}>
        Start
      </button>
      <p>
        New to congestion control?{' '}
        <a href="./lessons.html?lesson=adaptive-threshold&choice=static">Why does TCP starve a call?</a> is
        one of twelve <a href="./lessons.html">lessons</a>.
      </p>
      <p class="hint">
        {isSample && 'What moves here now is a sample: a simulated call. '}Or drop a recorded trace here.
      </p>
    </div>
  );
}
