/**
 * The host's end of user controllers (wasm/abi/user_controller.h): the core asks, the user's objects
 * answer, and whatever they do wrong stays in here. A half that threw, or gave what cannot be used, is
 * asked no more, nor is the other half of its pair: the flow keeps its last good rate.
 */
import type { ControllerFault, UserController, UserReceiverHalf, UserSenderHalf } from './user_controller.js';
import { MAX_FEEDBACK_VALUES } from './feedback.js';

/** Whose halves are being made. Halves that are made for the same owner are a pair. */
export interface Owner {
  controller: UserController;
  seed: number;
  /** Told of what goes wrong. */
  faults: ControllerFault[];
}

interface Pair extends Owner {
  failed: boolean;
}

type Half = { pair: Pair; flow: number } & (
  { kind: 'receiver'; object: UserReceiverHalf } | { kind: 'sender'; object: UserSenderHalf }
);

/** In the order of HostCall in the core. */
const CALLS = [
  'createReceiver',
  'createSender',
  'destroy',
  'arrival',
  'inbound',
  'feedback',
  'rtt',
  'rate',
] as const;
type Call = (typeof CALLS)[number];

const NO_ANSWER = -1;
/** Fields of a message with the time in front of them, and its values. */
const MOST_NUMBERS = 7 + MAX_FEEDBACK_VALUES;

/** What of an answer cannot be used. */
class BadAnswer extends Error {}

export class UserHost {
  readonly #halves = new Map<number, Half>();
  #memory: WebAssembly.Memory | null = null;
  #numbers = new Float64Array(0);
  #nextNumber = 1;
  #making: Pair | null = null;
  #asking = false;

  /** Whether a user's code is running now: the core must not be called by it. */
  get asking(): boolean {
    return this.#asking;
  }

  /** The core's memory, once there is one. */
  attach(memory: WebAssembly.Memory): void {
    this.#memory = memory;
  }

  /** Makes halves: those that `make` lets the core create belong to this owner. */
  making<T>(owner: Owner, make: () => T): T {
    this.#making = { ...owner, failed: false };
    try {
      return make();
    } finally {
      this.#making = null;
    }
  }

  /** What the core imports. Never throws. */
  readonly call = (number: number, half: number, pointer: number, count: number): number => {
    const call = CALLS[number];
    if (call === undefined) return NO_ANSWER;
    const numbers = this.#view(pointer);
    if (call === 'createReceiver' || call === 'createSender') return this.#create(call, numbers);
    const known = this.#halves.get(half);
    if (call === 'destroy') this.#halves.delete(half);
    if (known === undefined || known.pair.failed || call === 'destroy') return NO_ANSWER;
    return this.#guarded(known, timeOf(call, numbers), () => answer(known, call, numbers, count));
  };

  #view(pointer: number): Float64Array {
    const buffer = this.#memory?.buffer;
    if (buffer === undefined) throw new Error('the core has no memory yet');
    if (this.#numbers.buffer !== buffer || this.#numbers.byteOffset !== pointer)
      this.#numbers = new Float64Array(buffer, pointer, MOST_NUMBERS);
    return this.#numbers;
  }

  #create(call: 'createReceiver' | 'createSender', numbers: Float64Array): number {
    const pair = this.#making;
    if (pair === null) return 0;
    const [flow = 0, minBitrateBps = NaN, maxBitrateBps = NaN, startBitrateBps = NaN] = numbers;
    const options = { minBitrateBps, maxBitrateBps, startBitrateBps, flow, seed: pair.seed };
    const kind = call === 'createReceiver' ? 'receiver' : 'sender';
    const number = this.#nextNumber++;
    this.#guarded({ pair, flow, kind }, 0, () => {
      const object: unknown = pair.controller[call](options);
      expectMethods(call, object, kind === 'receiver' ? ['onArrival'] : ['onFeedback', 'rate']);
      this.#halves.set(number, { kind, pair, flow, object } as Half);
      return 0;
    });
    return number;
  }

  #guarded(
    { pair, flow, kind }: Pick<Half, 'pair' | 'flow' | 'kind'>,
    timeUs: number,
    work: () => number,
  ): number {
    this.#asking = true;
    try {
      return work();
    } catch (error) {
      pair.failed = true;
      const { name } = pair.controller;
      pair.faults.push({ controller: name, half: kind, flow, timeUs, message: messageOf(error) });
      return NO_ANSWER;
    } finally {
      this.#asking = false;
    }
  }
}

/** Calls the user's half; its answer is in `numbers` then, and how many they are is returned. */
function answer(half: Half, call: Call, numbers: Float64Array, count: number): number {
  if (half.kind === 'receiver') return answerOfReceiver(half.object, call, numbers);
  const { object } = half;
  if (call === 'rate') return answerRate(object, numbers);
  if (call === 'rtt') {
    const rttUs = numbers[1] ?? NaN;
    if (object.onRtt !== undefined) named('onRtt', () => object.onRtt?.(rttUs));
  } else {
    const [nowUs = NaN, timeUs = NaN, receivedRateBps = NaN, packetsReceived = NaN, packetsLost = NaN] =
      numbers;
    const [echoSendTimeUs = NaN, echoDelayUs = NaN, ...values] = numbers.subarray(5, count);
    const counted = { packetsReceived, packetsLost };
    const feedback = { timeUs, receivedRateBps, ...counted, echoSendTimeUs, echoDelayUs, values };
    named('onFeedback', () => object.onFeedback(feedback, nowUs));
  }
  return 0;
}

function answerOfReceiver(object: UserReceiverHalf, call: Call, numbers: Float64Array): number {
  if (call === 'arrival') {
    const [seq = NaN, sendTimeUs = NaN, arrivalTimeUs = NaN, sizeBytes = NaN] = numbers;
    const [rtpTimestamp = NaN, keyFrame = 0, rttUs = NaN] = numbers.subarray(4, 7);
    const arrival = {
      ...{ seq, sendTimeUs, arrivalTimeUs, sizeBytes, keyFrame: keyFrame > 0 },
      ...(!Number.isNaN(rtpTimestamp) && { rtpTimestamp }),
      ...(!Number.isNaN(rttUs) && { rttUs }),
    };
    return putValues(
      'onArrival',
      named('onArrival', () => object.onArrival(arrival)),
      numbers,
    );
  }
  if (object.onInbound === undefined) return NO_ANSWER;
  const [timeUs = NaN, packetsReceived = NaN, packetsLost = NaN, bytesReceived = NaN] = numbers;
  const counters = { timeUs, packetsReceived, packetsLost, bytesReceived };
  return putValues(
    'onInbound',
    named('onInbound', () => object.onInbound?.(counters)),
    numbers,
  );
}

function putValues(method: string, values: unknown, numbers: Float64Array): number {
  if (values === undefined || values === null) return NO_ANSWER;
  if (!Array.isArray(values) && !(values instanceof Float64Array)) {
    throw new BadAnswer(`${method} returned ${shown(values)}; expected an array of numbers, or nothing`);
  }
  const list = values as ArrayLike<unknown>;
  const { length } = list;
  if (length > MAX_FEEDBACK_VALUES) {
    throw new BadAnswer(`${method} returned ${length} values; expected at most ${MAX_FEEDBACK_VALUES}`);
  }
  for (let i = 0; i < length; i++) {
    const value = list[i];
    if (typeof value !== 'number' || !Number.isFinite(value)) {
      throw new BadAnswer(`${method} returned ${shown(value)} as value ${i}; expected finite numbers`);
    }
    numbers[i] = value;
  }
  return length;
}

function answerRate(object: UserSenderHalf, numbers: Float64Array): number {
  const nowUs = numbers[0] ?? NaN;
  const rate: unknown = named('rate', () => object.rate(nowUs));
  if (typeof rate !== 'object' || rate === null) {
    throw new BadAnswer(`rate returned ${shown(rate)}; expected an object with targetBps`);
  }
  const { targetBps, pacingBps } = rate as { targetBps?: unknown; pacingBps?: unknown };
  numbers[0] = checkedRate('targetBps', targetBps);
  numbers[1] = pacingBps === undefined ? NaN : checkedRate('pacingBps', pacingBps);
  return 2;
}

function checkedRate(field: string, value: unknown): number {
  if (typeof value === 'number' && Number.isFinite(value) && value >= 0) return value;
  throw new BadAnswer(
    `rate returned ${field} ${shown(value)}; expected a finite number of bits per second, at least 0`,
  );
}

function expectMethods(maker: string, object: unknown, methods: readonly string[]): void {
  if (typeof object !== 'object' || object === null) {
    throw new BadAnswer(
      `${maker} returned ${shown(object)}; expected an object with ${methods.join(' and ')}`,
    );
  }
  for (const method of methods) {
    if (typeof (object as Record<string, unknown>)[method] !== 'function')
      throw new BadAnswer(`${maker} returned an object without the function ${method}`);
  }
}

/** What was thrown says in which function. */
function named<T>(method: string, work: () => T): T {
  try {
    return work();
  } catch (error) {
    throw new BadAnswer(`${method} threw ${shown(error)}`);
  }
}

/** A value for a message, whatever it is. */
function shown(value: unknown): string {
  if (typeof value === 'object' && value !== null && !(value instanceof Error)) return 'an object';
  try {
    return String(value).slice(0, 200);
  } catch {
    return 'something without a text';
  }
}

const messageOf = (error: unknown): string =>
  error instanceof BadAnswer ? error.message : `it threw ${shown(error)}`;

/** When it is, by the core's question. */
const timeOf = (call: Call, numbers: Float64Array): number => numbers[call === 'arrival' ? 2 : 0] ?? NaN;
