/** Calls the receiver halves and sender halves of users' controllers, and checks their answers. */
import { MAX_FEEDBACK_VALUES, type Feedback } from './feedback.js';
import type {
  Arrival,
  HalfOptions,
  InboundCounters,
  UserController,
  UserRate,
  UserReceiverHalf,
  UserSenderHalf,
} from './user_controller.js';

/** A user's controller threw an error or returned something invalid. The message explains what was wrong. */
export class BadAnswer extends Error {}

/** A half that `makeHalf` created and checked. */
export type UserHalf =
  { kind: 'receiver'; object: UserReceiverHalf } | { kind: 'sender'; object: UserSenderHalf };

/** The calls of a half. Receiver halves receive `arrival` and `inbound`; sender halves receive the others. */
export type Question =
  | { kind: 'arrival'; arrival: Arrival }
  | { kind: 'inbound'; counters: InboundCounters }
  | { kind: 'feedback'; feedback: Feedback; nowUs: number }
  | { kind: 'rtt'; rttUs: number }
  | { kind: 'rate'; nowUs: number };

/**
 * A checked answer. `values` is the answer of a receiver half: the values to send in a feedback message. `rate` is the
 * answer of a sender half.
 */
export interface UsableAnswer {
  values?: number[];
  rate?: UserRate;
}

/** Creates a half. Throws BadAnswer if the controller's function throws or returns an unusable object. */
export function makeHalf(controller: UserController, kind: UserHalf['kind'], options: HalfOptions): UserHalf {
  if (kind === 'receiver') {
    const object = named('createReceiver', () => controller.createReceiver(options));
    expectFunctions('createReceiver', object, ['onArrival']);
    return { kind, object };
  }
  const object = named('createSender', () => controller.createSender(options));
  expectFunctions('createSender', object, ['onFeedback', 'rate']);
  return { kind, object };
}

const NOTHING: UsableAnswer = {};

/** Calls a half. Throws a BadAnswer that explains what the half did wrong. */
export function askHalf(half: UserHalf, question: Question): UsableAnswer {
  return half.kind === 'receiver' ? askReceiver(half.object, question) : askSender(half.object, question);
}

function askReceiver(object: UserReceiverHalf, question: Question): UsableAnswer {
  if (question.kind === 'arrival')
    return usableValues(
      'onArrival',
      named('onArrival', () => object.onArrival(question.arrival)),
    );
  if (question.kind !== 'inbound' || object.onInbound === undefined) return NOTHING;
  return usableValues(
    'onInbound',
    named('onInbound', () => object.onInbound?.(question.counters)),
  );
}

function askSender(object: UserSenderHalf, question: Question): UsableAnswer {
  if (question.kind === 'rate') return { rate: usableRate(named('rate', () => object.rate(question.nowUs))) };
  if (question.kind === 'feedback')
    named('onFeedback', () => object.onFeedback(question.feedback, question.nowUs));
  if (question.kind === 'rtt' && object.onRtt !== undefined)
    named('onRtt', () => object.onRtt?.(question.rttUs));
  return NOTHING;
}

function usableValues(method: string, values: unknown): UsableAnswer {
  if (values === undefined || values === null) return NOTHING;
  if (!Array.isArray(values) && !(values instanceof Float64Array))
    throw new BadAnswer(`${method}() returned ${shown(values)}; expected an array of numbers, or nothing`);
  const list = values as ArrayLike<unknown>;
  const { length } = list;
  if (length > MAX_FEEDBACK_VALUES)
    throw new BadAnswer(`${method}() returned ${length} values; expected at most ${MAX_FEEDBACK_VALUES}`);
  return { values: Array.from({ length }, (_, i) => finiteValue(method, list[i], i)) };
}

function finiteValue(method: string, value: unknown, index: number): number {
  if (typeof value === 'number' && Number.isFinite(value)) return value;
  throw new BadAnswer(`${method}() returned ${shown(value)} at index ${index}; expected finite numbers`);
}

function usableRate(rate: unknown): UserRate {
  if (typeof rate !== 'object' || rate === null)
    throw new BadAnswer(`rate() returned ${shown(rate)}; expected an object with targetBps`);
  const { targetBps, pacingBps } = rate as { targetBps?: unknown; pacingBps?: unknown };
  return {
    targetBps: usableBps('targetBps', targetBps),
    ...(pacingBps !== undefined && { pacingBps: usableBps('pacingBps', pacingBps) }),
  };
}

function usableBps(field: string, value: unknown): number {
  if (typeof value === 'number' && Number.isFinite(value) && value >= 0) return value;
  const expected = 'a finite number of bits per second, at least 0';
  throw new BadAnswer(`rate() returned ${field} ${shown(value)}; expected ${expected}`);
}

function expectFunctions(maker: string, object: unknown, functions: readonly string[]): void {
  if (typeof object !== 'object' || object === null)
    throw new BadAnswer(
      `${maker}() returned ${shown(object)}; expected an object with ${functions.join(' and ')}`,
    );
  for (const name of functions) {
    if (typeof (object as Record<string, unknown>)[name] !== 'function')
      throw new BadAnswer(`${maker}() returned an object without the function ${name}()`);
  }
}

/** Runs `work`. Converts any error to a BadAnswer whose message contains the name of the function. */
function named<T>(name: string, work: () => T): T {
  try {
    return work();
  } catch (error) {
    throw new BadAnswer(`${name}() threw ${shown(error)}`);
  }
}

/** Converts any value to text for a message. */
function shown(value: unknown): string {
  if (typeof value === 'object' && value !== null && !(value instanceof Error)) return 'an object';
  try {
    return String(value).slice(0, 200);
  } catch {
    return 'something without a text';
  }
}

/** Describes an error for a message to the user. */
export const problemOf = (error: unknown): string =>
  error instanceof BadAnswer ? error.message : `it threw ${shown(error)}`;
