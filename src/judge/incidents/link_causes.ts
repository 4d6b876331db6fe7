/** Rules that use the record's data about the link itself. Only tests and `ccscope call` record these data. */
import { msText, rateText, secondsText } from '../text.js';
import { usualOf } from './evidence.js';
import type { CapacityFall } from './sides.js';
import { LONG_QUEUE_MS, QUEUED_MS } from './queue.js';
import { cause, OVERUSE_FIX, type Rule } from './rule.js';

/** A capacity above this multiple of the rate that the stream used does not limit the stream. */
const ABOVE_USED = 1.15;

/** When the link's capacity fell, and by how much. */
export const loweredText = ({ timeUs, fromBps, toBps }: CapacityFall): string =>
  `The link's capacity was lowered from ${rateText(fromBps)} to ${rateText(toBps)} at ${secondsText(timeUs)}`;

/** A lower capacity is the cause of a freeze only if packets then waited in the queue. */
export const capacityLowered: Rule = ({ kind, link, usual, before }) => {
  const lowered = link?.lowered ?? null;
  if (link === null || lowered === null) return null;
  if (kind === 'freeze' && !(link.queueMs - link.usualQueueMs > QUEUED_MS)) return null;
  const { toBps } = lowered;
  const usualBps = usualOf(usual, ({ rateBps }) => rateBps);
  const used = kind === 'rate-fall' ? before : usualBps;
  if (!(toBps < ABOVE_USED * used)) return null;
  return cause(
    'capacity',
    `${loweredText(lowered)}; the stream had been using ${rateText(used)}.`,
    'Expect no more than the link can carry, or raise its capacity.',
  );
};

/** Overuse, if the link's own record shows that a queue grew. */
export const overuseAtLink: Rule = ({ link, kind }) => {
  if (link === null) return null;
  const { usualQueueMs, queueMs } = link;
  const leastMs = kind === 'freeze' ? LONG_QUEUE_MS : QUEUED_MS;
  if (!(queueMs - usualQueueMs > leastMs)) return null;
  return cause(
    'overuse',
    `A queue grew at the link: packets waited for up to ${msText(queueMs)}, instead of the usual ${msText(usualQueueMs)}.`,
    OVERUSE_FIX,
  );
};
