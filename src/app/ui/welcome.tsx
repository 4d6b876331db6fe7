import { useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';

import { formatRate } from '../../charts/index.js';
import { parseSchedule } from '../../link/capacity_text.js';
import { parseCrossTraffic } from '../../link/load_text.js';
import { QUEUE_NAMES, trafficTitle } from '../../link/words.js';
import { toFragment } from '../../runs/fragment.js';
import type { Session } from '../session/session.js';
import { titleOf, watcherOf } from '../controllers.js';
import { settings } from '../settings.js';
import { TcpLessonLink } from './tcp_lesson_link.js';

interface WelcomeProps {
  session: Session;
  /** Whether the sample is shown behind this text. */
  isSample: boolean;
}

/** The address at which the Lab shows a new network with its controls. */
async function newNetwork(): Promise<string> {
  const { FRESH_NETWORK_TEXT } = await import('../lab/edits.js');
  return `./lab.html#${await toFragment('own', FRESH_NETWORK_TEXT)}`;
}

/** What a controller does in each mode, after it has read the timing of the frames. */
const DOES = {
  control: 'sets the bitrate',
  cap: 'limits the bitrate that the browser’s own controller may choose',
  observe: 'shows which bitrate it would set; the browser’s own controller sets the bitrate',
} as const;

/** Explains what Start will do with the current settings. */
export function Welcome({ session, isSample }: WelcomeProps) {
  const { capacity, queue, rtt_ms, controller, mode, role, room, bottleneck, cross_traffic } = settings.value;
  const { cubic, newReno } = parseCrossTraffic(cross_traffic);
  const downloads = cubic + newReno;
  const watcher = watcherOf(settings.value);
  const [first, ...later] = parseSchedule(capacity);
  const [discipline = ''] = queue.split(':');
  const network = useSignal('./lab.html');
  useEffect(() => {
    // If the module cannot be loaded, the link leads to the Lab without a new network.
    newNetwork().then(
      (address) => (network.value = address),
      () => undefined,
    );
  }, []);
  return (
    <div class="welcome before">
      <h2>A real WebRTC call, under the scope</h2>
      <p>
        {role === 'loopback' && 'Start connects two peers in this page.'}
        {role === 'send' && `Start waits for the page that opens the join link (room ${room}).`}
        {role === 'receive' &&
          `Start connects with the page that invited this one (room ${room}).`} Between{' '}
        {role === 'loopback' ? 'them' : 'the two'} is a link of{' '}
        <b>
          {formatRate(first?.capacityBps ?? NaN)}
          {later.length > 0 && ' at first'}
        </b>{' '}
        with a round-trip time of <b>{rtt_ms} ms</b> and the queue <b>{QUEUE_NAMES[discipline]}</b>
        {bottleneck === 'in-page' ? ', inside the page' : ''}.{' '}
        {downloads > 0 && (
          <>
            {downloads === 1 ? 'A download shares' : `${downloads} downloads share`} this link from the start
            (<b>{trafficTitle(cross_traffic)}</b>).{' '}
          </>
        )}
        {controller === 'native' ? (
          <>The browser’s own controller sets the bitrate; {titleOf(watcher ?? controller)} watches.</>
        ) : (
          <>
            <b>{controller === 'gcc' ? 'Google Congestion Control' : titleOf(controller)}</b> reads the timing
            of every video frame and {DOES[mode]}.
          </>
        )}
      </p>
      <p>
        The charts then show rates, delay and losses, and what the controller makes of them. Change the link
        while the call runs, and watch it react.
      </p>
      <button type="button" class="start" onClick={() => void session.start()}>
        Start
      </button>
      <p>
        No call needed: <a href={network.value}>simulate a network of your own</a>.
      </p>
      <p>
        New to congestion control? <TcpLessonLink>Why does TCP starve a call?</TcpLessonLink> is one of twelve{' '}
        <a href="./lessons.html">lessons</a>.
      </p>
      <p class="hint">
        {isSample && 'What moves here now is a sample: a simulated call. '}Or drop a recording here.
      </p>
    </div>
  );
}
