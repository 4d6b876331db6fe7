/**
 * The form of each message that an observer sends. A message of any other form is refused, since a script of
 * the page could have sent it.
 */
import * as v from 'valibot';

import { readAction } from '../../inject/action_form.js';
import type { Action, InboundStats, OutboundStats, PageMessage, StatsSample } from '../../inject/protocol.js';

/** The form of an action's result. */
export const actionResult = v.variant('ok', [
  v.object({
    ok: v.literal(true),
    message: v.string(),
    inForce: v.array(v.looseObject({ kind: v.string() })),
  }),
  v.object({ ok: v.literal(false), why: v.string(), fix: v.string() }),
]);

type AllStats = InboundStats & OutboundStats & Omit<StatsSample, 'inbound' | 'outbound'>;
type FieldsThatAre<Value> = { [K in keyof AllStats]: AllStats[K] extends Value ? K : never }[keyof AllStats];

/** Fields of getStats that are strings or flags, not numbers. The compiler reports a field that is missing here. */
const TEXTS: Record<FieldsThatAre<string>, true> = {
  kind: true,
  mid: true,
  codec: true,
  rid: true,
  scalabilityMode: true,
  qualityLimitationReason: true,
  trackState: true,
  trackPaused: true,
  route: true,
};
const FLAGS: Record<FieldsThatAre<boolean>, true> = { active: true };

/** JSON has no NaN, so NaN arrives as null. */
const number = v.nullable(v.number());
/** A string of limited length. */
export const text = v.pipe(v.string(), v.maxLength(4000));
const endpoint = v.pipe(v.number(), v.integer(), v.minValue(0));
const timeUs = v.number();
const port = v.pipe(v.number(), v.integer(), v.minValue(1), v.maxValue(65_535));

const isValid = (name: string, value: unknown): boolean => {
  if (Object.hasOwn(TEXTS, name)) return v.is(text, value);
  return typeof value === (Object.hasOwn(FLAGS, name) ? 'boolean' : 'number') || value === null;
};

const stats = v.custom<Record<string, unknown>>(
  (value) =>
    typeof value === 'object' &&
    value !== null &&
    !Array.isArray(value) &&
    Object.entries(value).every(([name, each]) => isValid(name, each)),
);

/** A sample. Its own fields and the fields of each stream must match `stats`. */
const sample = v.custom<StatsSample>((value) => {
  if (typeof value !== 'object' || value === null) return false;
  const { outbound, inbound, ...own } = value as Record<string, unknown>;
  return v.is(stats, own) && v.is(v.array(stats), outbound) && v.is(v.array(stats), inbound);
});

const STATES = ['new', 'connecting', 'connected', 'disconnected', 'failed', 'closed'] as const;

/** The form of each message, by its type. */
const FORMS: { [Type in PageMessage['type']]: v.GenericSchema } = {
  endpoint: v.object({ type: v.string(), endpoint, timeUs }),
  state: v.object({ type: v.string(), endpoint, timeUs, state: v.picklist(STATES) }),
  local: v.object({
    type: v.string(),
    endpoint,
    role: v.nullable(v.picklist(['offerer', 'answerer'])),
    ufrags: v.array(text),
  }),
  remote: v.object({
    type: v.string(),
    endpoint,
    sides: v.array(v.object({ ufrag: text, candidates: v.array(v.object({ address: text, port })) })),
  }),
  sample: v.object({ type: v.string(), endpoint, sample }),
  frames: v.object({ type: v.string(), endpoint, rows: v.array(v.number()) }),
  source: v.object({ type: v.string(), endpoint, source: v.picklist(['transform', 'getStats', 'elements']) }),
  notice: v.object({
    type: v.string(),
    endpoint,
    notice: v.object({
      level: v.picklist(['info', 'warning', 'error']),
      code: text,
      message: text,
      fix: text,
    }),
  }),
  late: v.object({ type: v.string(), timeUs, lateMs: number }),
  action: v.object({
    type: v.string(),
    endpoint,
    timeUs,
    action: v.custom<Action>((value) => 'kind' in readAction(value)),
    result: actionResult,
  }),
};

/** A message from an observer. */
export const pageMessage = v.custom<PageMessage>((value) => {
  const { type } = (value ?? {}) as { type?: unknown };
  return (
    typeof type === 'string' && Object.hasOwn(FORMS, type) && v.is(FORMS[type as PageMessage['type']], value)
  );
});
