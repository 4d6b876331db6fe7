/** Rules for a lack of processor time in the machine, the encoder or the decoder. */
import { distortion, FIX, isOverloaded, worstText } from '../../machine/index.js';
import { msText, sentence, shareText } from '../text.js';
import { usualOf, share, isLimitedBy } from './evidence.js';
import { loweredText } from './link_causes.js';
import { cause, type Rule } from './rule.js';
import type { Look } from './stream_looks.js';

/** A codec lacks processor time if a frame takes more than SLOWER times as long as usual, and more than SLOW_MS. */
const SLOWER = 2;
const SLOW_MS = 12;

/** If the link's capacity fell as well, the evidence says so, since the fall may have the larger effect. */
export const machineOverloaded: Rule = ({ machine, link }) => {
  if (!isOverloaded(machine)) return null;
  const lowered = link?.lowered ?? null;
  const fall = lowered === null ? '' : ` ${loweredText(lowered)}.`;
  return cause(
    'machine-overloaded',
    `The machine was too busy for the call: ${worstText(machine)}; so ${distortion(machine.everBy)}.${fall}`,
    sentence(FIX),
  );
};

export const cpuOfEncoder: Rule = ({ usual, since }) => {
  const now = share(since, isLimitedBy('cpu'));
  if (now < 0.5 || share(usual, isLimitedBy('cpu')) >= 0.5) return null;
  return cause(
    'cpu-limited',
    `The CPU has limited the encoder (qualityLimitationReason cpu) in ${shareText(now)} of the samples since the incident began.`,
    'Send a lower resolution or fewer streams, or free up the CPU.',
  );
};

/** The pixels of a stream's pictures, of all layers together. */
const pixels = ({ sent, received }: Look): number =>
  [...sent.filter(({ active }) => active), ...(received === null ? [] : [received])].reduce(
    (sum, { frameWidth, frameHeight }) => sum + frameWidth * frameHeight,
    0,
  );

export const slowCodec: Rule = ({ usual, since, stream }) => {
  const codecMs = ({ codecMs: ms }: Look): number => ms;
  const latest = since.slice(-3);
  const [before, now] = [usualOf(usual, codecMs), usualOf(latest, codecMs)];
  // A larger picture, such as a screen after a camera, takes longer without any lack of processor time.
  const growth = usualOf(latest, pixels) / usualOf(usual, pixels);
  if (!(now > SLOW_MS && now > SLOWER * before * (growth > 1 ? growth : 1))) return null;
  const isSent = stream.direction === 'send';
  return cause(
    'cpu-limited',
    `The ${isSent ? 'encoder' : 'decoder'} takes ${msText(now)} per frame, up from ${msText(before)}: it gets too little processor time.`,
    `${isSent ? 'Send' : 'Receive'} a lower resolution or fewer streams, or free up the CPU.`,
  );
};

export const cpuOfDecoder: Rule = ({ since }) => {
  const frames = since.reduce((sum, look) => sum + look.frames, 0);
  const decoded = since.reduce((sum, look) => sum + look.decoded, 0);
  if (!(frames > 10 && decoded < 0.6 * frames)) return null;
  return cause(
    'cpu-limited',
    `${frames} frames arrived, but only ${decoded} were decoded: the receiver cannot keep up.`,
    'Receive a lower resolution or fewer streams, or free up the CPU.',
  );
};
