/** Causes at the sender's source and encoder: the source is paused or slower, or the encoder needs a lower rate. */
import { rateText } from '../text.js';
import { availableBps, usesTarget, estimateFell, ESTIMATE_FELL, FILLED } from './estimate_causes.js';
import { greatest, least, targetBps, usualOf } from './evidence.js';
import { pictureHeight, LAYER_SHRANK } from './layer_causes.js';
import { isSwitchedOffByUs, RELEASE_FIX } from './own_actions.js';
import { AT_BOUND, cause, type Rule } from './rule.js';
import type { Look } from './stream_looks.js';

const PAUSED_FIX = 'Resume the track or the encoding when the picture is wanted again.';

/** How a sender was stopped, in words; null while it sends. */
function pausedText({ sent }: Look, usual: readonly Look[]): string | null {
  if (sent.length === 0) return 'its transceiver no longer sends';
  if (sent.every(({ active }) => !active)) return 'all its encodings are switched off (active: false)';
  const { trackState, trackPaused, sourceFrames } = sent[0] ?? {};
  if (trackState === 'none') return 'it no longer has a track (replaceTrack)';
  if (trackState === 'ended') return 'its track has ended';
  if (trackPaused === 'disabled') return 'its track was disabled';
  if (trackPaused === 'muted') return 'its track is muted by its source';
  const before = usual.at(-1)?.sent[0]?.sourceFrames ?? NaN;
  return sourceFrames === before ? 'its source delivers no frames' : null;
}

export const senderPaused: Rule = (evidence) => {
  const last = evidence.since.at(-1);
  const text = last === undefined ? null : pausedText(last, evidence.usual);
  if (text === null || last === undefined) return null;
  const isOurs = last.sent.some(({ active }) => !active) && isSwitchedOffByUs(evidence);
  const told = isOurs ? '; ccscope was told to switch an encoding off' : '';
  return cause(
    'sender-paused',
    `The sender was paused: ${text}; its rate fell to ${rateText(last.rateBps)}${told}.`,
    isOurs ? RELEASE_FIX : PAUSED_FIX,
  );
};

/** The frame rate of a sender's source between the first and the last of the given samples. */
function sourceFps(looks: readonly Look[]): number {
  const [first, last] = [looks[0], looks.at(-1)];
  const frames = (look: Look | undefined): number => look?.sent[0]?.sourceFrames ?? NaN;
  if (first === undefined || last === undefined) return NaN;
  return (1e6 * (frames(last) - frames(first))) / (last.timeUs - first.timeUs);
}

export const slowSource: Rule = ({ usual, since }) => {
  const [before, now] = [sourceFps(usual), sourceFps(since)];
  if (!(now < FILLED * before)) return null;
  return cause(
    'application-limited',
    `The source delivers ${now.toFixed(1)} frames per second, down from ${before.toFixed(1)}.`,
    'Check the source: a camera in poor light, a screen that does not change, or a page that is too busy to draw.',
  );
};

export const applicationLimited: Rule = ({ since, usual }) => {
  const latest = since.slice(-3);
  const [before, now] = [usualOf(usual, targetBps), usualOf(latest, targetBps)];
  const rate = usualOf(latest, ({ rateBps }) => rateBps);
  // If the rate fell together with the encoder's target, the target explains the fall. If the rate stays well
  // below the target, the target does not explain it.
  const isFree = since.length >= 3 && !usesTarget(since);
  const isAsBefore = rate < FILLED * now && now >= AT_BOUND * before;
  if (!isFree && !isAsBefore) return null;
  return cause(
    'application-limited',
    `The encoder may use ${rateText(now)} (${rateText(before)} before), but needs only ${rateText(rate)} for what its source shows.`,
    'Nothing to do: the network is fine, and the picture has less detail or motion.',
  );
};

/**
 * Applies if the encoder switched to a larger picture. Chromium then restarts the encoder, at first with a lower
 * target. If the estimate did not fall, the network did not demand the lower target.
 */
export const largerPicture: Rule = (evidence) => {
  const { usual, since } = evidence;
  const largest = greatest(since, pictureHeight);
  const before = usualOf(usual, pictureHeight);
  const [target, lower] = [usualOf(usual, targetBps), least(since, targetBps)];
  if (!(LAYER_SHRANK * largest > before && lower < ESTIMATE_FELL * target) || estimateFell(evidence))
    return null;
  const estimate = least(since, availableBps);
  const held = Number.isFinite(estimate) ? `, while the estimate stayed at ${rateText(estimate)}` : '';
  return cause(
    'application-limited',
    `The encoder switched to a larger picture (${largest} lines instead of ${before}) with a lower target (${rateText(lower)} instead of ${rateText(target)})${held}.`,
    'Nothing to do: the network is fine, and the rate recovers within a few seconds.',
  );
};
