/**
 * Checks actions that come from outside the observer: from a panel, from Node, or from any script that finds
 * the observer.
 */
import * as v from 'valibot';

import type { Action } from './protocol.js';

/** The highest accepted rate. No encoder sends faster. */
const MOST_BPS = 1e9;
/** The lowest accepted rate. No browser's encoder can send more slowly. */
const LEAST_BPS = 1000;
/** The upper limit of jitterBufferTarget (webrtc-extensions). */
const MOST_DELAY_MS = 4000;

const integer = (least: number, most: number) => {
  const message = `a whole number from ${least} to ${most}`;
  return v.pipe(v.number(message), v.integer(message), v.minValue(least, message), v.maxValue(most, message));
};
const rate = integer(LEAST_BPS, MOST_BPS);
const encoding = v.nullable(
  v.union([v.string(), integer(0, 100)], 'a rid, the index of an encoding, or null for all'),
);
const target = v.strictObject(
  {
    endpoint: integer(0, Number.MAX_SAFE_INTEGER),
    direction: v.picklist(['send', 'receive'], 'send or receive'),
    mid: v.string('the mid of a media section, or an empty text'),
    ssrc: integer(0, 2 ** 32 - 1),
  },
  'a stream: endpoint, direction, mid and ssrc',
);

const form = v.variant(
  'kind',
  [
    v.strictObject({ kind: v.literal('cap'), target, encoding, maxBitrateBps: rate }),
    v.strictObject({ kind: v.literal('hold'), target }),
    v.strictObject({ kind: v.literal('drive'), target, controller: v.string('a name'), maxBitrateBps: rate }),
    v.strictObject({
      kind: v.literal('release'),
      target,
      of: v.nullable(
        v.picklist(
          ['cap', 'drive', 'layer', 'degradation-preference', 'playout-delay'],
          'what to take back: cap, drive, layer, degradation-preference, playout-delay, or null for all',
        ),
      ),
    }),
    v.strictObject({ kind: v.literal('key-frame'), target, encoding }),
    v.strictObject({ kind: v.literal('layer'), target, encoding, active: v.boolean('true or false') }),
    v.strictObject({
      kind: v.literal('degradation-preference'),
      target,
      preference: v.picklist(
        ['balanced', 'maintain-framerate', 'maintain-resolution', 'maintain-framerate-and-resolution'],
        'balanced, maintain-framerate, maintain-resolution or maintain-framerate-and-resolution',
      ),
    }),
    v.strictObject({
      kind: v.literal('playout-delay'),
      target,
      delayMs: v.pipe(
        v.number(`milliseconds from 0 to ${MOST_DELAY_MS}`),
        v.minValue(0, `milliseconds from 0 to ${MOST_DELAY_MS}`),
        v.maxValue(MOST_DELAY_MS, `milliseconds from 0 to ${MOST_DELAY_MS}`),
      ),
    }),
  ],
  'cap, hold, drive, release, key-frame, layer, degradation-preference or playout-delay',
) satisfies v.GenericSchema<unknown, Action>;

/**
 * Parses an action. If it is invalid, returns the name of the invalid field and a description of its valid
 * values.
 */
export function readAction(value: unknown): Action | { field: string; expected: string } {
  const read = v.safeParse(form, value);
  if (read.success) return read.output;
  const [issue] = read.issues;
  return { field: v.getDotPath(issue) ?? 'action', expected: issue.message };
}
