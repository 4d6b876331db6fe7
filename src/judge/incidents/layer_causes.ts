/** Rules for layers of simulcast or SVC that the sender or a server stopped sending. */
import type { OutboundStats } from '../../calls/record/record.js';
import { greatest, usualOf } from './evidence.js';
import { isSwitchedOffByUs, RELEASE_FIX } from './own_actions.js';
import { cause, type Rule } from './rule.js';
import type { Look } from './stream_looks.js';

/**
 * A picture with less than this fraction of the usual height comes from a lower layer. Encoders that adapt
 * the size of the picture take smaller steps.
 */
export const LAYER_SHRANK = 0.8;

export const layerSwitchedOff: Rule = (evidence) => {
  const { usual, since } = evidence;
  const last = since.at(-1);
  // Layers have no rid if they were made by `a=ssrc-group:SIM`.
  const isSame = (a: OutboundStats, b: OutboundStats): boolean =>
    a.rid === '' ? a.ssrc === b.ssrc : a.rid === b.rid;
  const gone = (last?.sent ?? []).filter(
    (now) =>
      !now.active && usual.some(({ sent }) => sent.some((before) => before.active && isSame(now, before))),
  );
  if (last === undefined || gone.length === 0) return null;
  const names = gone.flatMap(({ rid }) => (rid ? [rid] : [])).join(', ');
  const layers = names === '' ? 'a layer' : `the ${gone.length === 1 ? 'layer' : 'layers'} ${names}`;
  const isOurs = isSwitchedOffByUs(evidence);
  const who = isOurs ? 'ccscope was told to switch off' : 'The page switched off';
  return cause(
    'layer-dropped',
    `${who} ${layers} (active: false); ${last.sent.length - gone.length} of ${last.sent.length} layers are still sent.`,
    isOurs
      ? RELEASE_FIX
      : 'Switch the layer on again in setParameters (active: true), unless it is meant to be off.',
  );
};

/** The height of the largest picture among the layers that carry data; -Infinity if no layer carries data. */
export const pictureHeight = (look: Look): number =>
  greatest([look], ({ layers }) =>
    Math.max(...layers.filter(({ rateBps }) => rateBps > 0).map(({ frameHeight }) => frameHeight)),
  );

export const layerLowered: Rule = ({ usual, since, stream }) => {
  const last = since.at(-1);
  if (last === undefined) return null;
  const [before, now] = [usualOf(usual, pictureHeight), pictureHeight(last)];
  if (!(now > 0 && now < LAYER_SHRANK * before)) return null;
  const who = stream.direction === 'send' ? 'The sender' : 'The far side';
  return cause(
    'layer-dropped',
    `${who} sends a smaller picture: ${now} lines instead of ${before}; neither a queue nor heavy loss points to the network as the cause.`,
    'Check which simulcast or SVC layer the server forwards, and which bandwidth it assumes for the receiver.',
  );
};
