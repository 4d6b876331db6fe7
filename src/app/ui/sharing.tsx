/** Says in words how a call shares, or shared, its link with a download, and what would help. */
import { useRef } from 'preact/hooks';

import type { Sharing } from '../../reasons/index.js';
import { rateText } from '../../judge/text.js';
import { FAIR_QUEUES, QUEUE_NAMES } from '../../link/words.js';
import { chooseQueue } from '../call_queue.js';
import { settings } from '../settings.js';
import { TcpLessonLink } from './tcp_lesson_link.js';

const FAIR = 'fq_codel';

/** What the queue does while a TCP connection shares it. */
function queueSentence(discipline: string): string {
  if (FAIR_QUEUES.includes(discipline))
    return `${QUEUE_NAMES[discipline] ?? ''} gives each flow a queue of its own.`;
  if (discipline === 'droptail') return 'TCP slows down only on loss, so it fills the queue.';
  return 'The call and TCP wait in the same queue.';
}

interface SharingProps {
  sharing: Sharing;
  /** The name of the controller in charge; null if it is not the controller that `sharing` is about. */
  name: string | null;
  /** Whether the call still runs. Otherwise the text is about the end of the call. */
  isRunning: boolean;
}

/** Why a call has the smaller share of a queue that TCP fills, and how the call's controller reacts. */
function callSentences({ sharing, name, isRunning }: SharingProps): readonly string[] {
  const { receivedBps, ownBps, isCompeting } = sharing;
  const reacts = isRunning
    ? 'has noticed that another flow keeps the queue full, and now reacts'
    : 'had noticed that another flow kept the queue full, and reacted';
  return [
    ...(ownBps < receivedBps ? ['A call that reacts to delay gives way first.'] : []),
    ...(isCompeting && name !== null ? [`${name} ${reacts} to losses alone.`] : []),
  ];
}

/** States the rate that a call can reach if each flow has a separate queue. */
function fairSentence({ capacityBps, flows }: Sharing): string {
  return `The fair share of the call is ${rateText(capacityBps / (flows.length + 1))}.`;
}

export function SharingText(props: SharingProps) {
  const { sharing, isRunning } = props;
  const { flows, receivedBps, capacityBps, ownBps, isOwnReceived, averagedS } = sharing;
  // The queue during the call. Changes of the setting after the call do not count.
  const queue = useRef(settings.value.queue);
  if (isRunning) queue.current = settings.value.queue;
  const [discipline = ''] = queue.current.split(':');
  const isFair = FAIR_QUEUES.includes(discipline);
  const sentences = [
    `Over the last ${averagedS} s${isRunning ? '' : ' of the call'}, ${flows.join(', ')} got ${rateText(receivedBps)} of ${rateText(capacityBps)}, and the call ${isOwnReceived ? 'got' : 'sent'} ${rateText(ownBps)}.`,
    queueSentence(discipline),
    ...(isFair ? [fairSentence(sharing)] : []),
    ...(discipline === 'droptail' ? callSentences(props) : []),
  ];
  return (
    <>
      <p>{sentences.join(' ')}</p>
      <div class="offers">
        {isRunning && !isFair && (
          <button type="button" class="offer" title={queueSentence(FAIR)} onClick={() => chooseQueue(FAIR)}>
            Try {QUEUE_NAMES[FAIR]}
          </button>
        )}
        <TcpLessonLink isInNewTab>Why TCP can starve a call</TcpLessonLink>
      </div>
    </>
  );
}
