/** Says in words how a running call shares its link with a download, and what would help. */
import type { Sharing } from '../../reasons/index.js';
import { rateText } from '../../judge/text.js';
import { FAIR_QUEUES, QUEUE_NAMES } from '../../link/words.js';
import { change, settings } from '../settings.js';
import { TcpLessonLink } from './tcp_lesson_link.js';

const FAIR = 'fq_codel';

/** What the queue does while a TCP connection shares it. */
function queueSentence(discipline: string): string {
  if (FAIR_QUEUES.includes(discipline))
    return `${QUEUE_NAMES[discipline] ?? ''} gives each flow a queue of its own.`;
  if (discipline === 'droptail') return 'TCP fills the queue until packets are lost.';
  return 'The call and TCP wait in the same queue.';
}

interface SharingProps {
  sharing: Sharing;
  /** The name of the controller in charge; null if it is not the controller that `sharing` is about. */
  name: string | null;
}

export function SharingText({ sharing, name }: SharingProps) {
  const { flows, receivedBps, capacityBps, ownBps, isCompeting } = sharing;
  const [discipline = ''] = settings.value.queue.split(':');
  return (
    <p class="sharing">
      {flows.join(', ')} {flows.length === 1 ? 'takes' : 'take'} {rateText(receivedBps)} of{' '}
      {rateText(capacityBps)}, and the call sends {rateText(ownBps)}. {queueSentence(discipline)}{' '}
      {isCompeting && name !== null && `${name} sees this and reacts to losses alone. `}
      <TcpLessonLink isInNewTab>Why TCP can starve a call</TcpLessonLink>
      {!FAIR_QUEUES.includes(discipline) && (
        <span class="offer">
          {' · '}
          <button type="button" onClick={() => change({ queue: FAIR })}>
            Try {QUEUE_NAMES[FAIR]}
          </button>
          : it gives each flow a queue of its own.
        </span>
      )}
    </p>
  );
}
