/**
 * Runs users' controllers outside the core. The core calls a single import (wasm/abi/user_controller.h), which
 * passes the call on to a receiver half or a sender half. An exception never reaches the core. If a half throws
 * or returns something invalid, neither half of the pair is called again, and their flow keeps its last good
 * rate.
 */
import { feedbackFrom, MAX_FEEDBACK_VALUES } from './feedback.js';
import { askHalf, makeHalf, problemOf, type Question, type UserHalf } from './user_answers.js';
import type { ControllerFault, UserController } from './user_controller.js';

/**
 * The controller whose halves are being created. The halves that are created during one call of `making` form
 * a pair: after a fault of one half, the other half is not called again either.
 */
export interface Owner {
  controller: UserController;
  seed: number;
  /** Receives the faults of the halves. */
  faults: ControllerFault[];
}

interface Pair extends Owner {
  failed: boolean;
}

interface Hosted {
  pair: Pair;
  flow: number;
  half: UserHalf;
}

/** The calls, in the order of HostCall in the core. */
const CALLS = [
  ...(['createReceiver', 'createSender', 'destroy'] as const),
  ...(['arrival', 'inbound', 'feedback', 'rtt', 'rate'] as const),
] as const;
type Asked = Question['kind'];

const NO_ANSWER = -1;
/** The most numbers that a call can pass: the time, the six fields of a message, and its values. */
const MOST_NUMBERS = 7 + MAX_FEEDBACK_VALUES;

export class UserHost {
  readonly #halves = new Map<number, Hosted>();
  #memory: WebAssembly.Memory | null = null;
  #numbers = new Float64Array(0);
  #nextNumber = 1;
  #making: Pair | null = null;
  #asking = false;

  /** Whether code of a user is running. Such code must not call the core. */
  get asking(): boolean {
    return this.#asking;
  }

  /**
   * Sets the core's memory. The constructor cannot take it, since the memory exists only after the core has been
   * instantiated.
   */
  attach(memory: WebAssembly.Memory): void {
    this.#memory = memory;
  }

  /** Runs `make`. The halves that the core creates meanwhile belong to `owner`. */
  making<T>(owner: Owner, make: () => T): T {
    this.#making = { ...owner, failed: false };
    try {
      return make();
    } finally {
      this.#making = null;
    }
  }

  /**
   * The function that the core imports. `number` is the call's index in CALLS, and `pointer` points to the
   * arguments.
   */
  readonly call = (number: number, half: number, pointer: number, count: number): number => {
    const call = CALLS[number];
    if (call === undefined) return NO_ANSWER;
    const numbers = this.#view(pointer);
    if (call === 'createReceiver') return this.#create('receiver', numbers);
    if (call === 'createSender') return this.#create('sender', numbers);
    const hosted = this.#halves.get(half);
    if (call === 'destroy') this.#halves.delete(half);
    if (call === 'destroy' || hosted === undefined || hosted.pair.failed) return NO_ANSWER;
    const { pair, flow } = hosted;
    const timeUs = numbers[call === 'arrival' ? 2 : 0] ?? NaN;
    return this.#guarded(pair, { half: hosted.half.kind, flow, timeUs }, () =>
      answer(hosted.half, questionOf(call, numbers, count), numbers),
    );
  };

  #view(pointer: number): Float64Array {
    const buffer = this.#memory?.buffer;
    if (buffer === undefined) throw new Error('the core has no memory yet');
    if (this.#numbers.buffer !== buffer || this.#numbers.byteOffset !== pointer)
      this.#numbers = new Float64Array(buffer, pointer, MOST_NUMBERS);
    return this.#numbers;
  }

  #create(kind: UserHalf['kind'], numbers: Float64Array): number {
    const pair = this.#making;
    if (pair === null) return 0;
    const [flow = 0, minBitrateBps = NaN, maxBitrateBps = NaN, startBitrateBps = NaN] = numbers;
    const options = { minBitrateBps, maxBitrateBps, startBitrateBps, flow, seed: pair.seed };
    const number = this.#nextNumber++;
    this.#guarded(pair, { half: kind, flow, timeUs: 0 }, () => {
      this.#halves.set(number, { pair, flow, half: makeHalf(pair.controller, kind, options) });
      return 0;
    });
    return number;
  }

  #guarded(pair: Pair, where: Pick<ControllerFault, 'half' | 'flow' | 'timeUs'>, work: () => number): number {
    this.#asking = true;
    try {
      return work();
    } catch (error) {
      pair.failed = true;
      pair.faults.push({ controller: pair.controller.name, ...where, message: problemOf(error) });
      return NO_ANSWER;
    } finally {
      this.#asking = false;
    }
  }
}

/** Calls the user's half. Writes the answer to `numbers`, and returns its length. */
function answer(half: UserHalf, question: Question, numbers: Float64Array): number {
  const { values, rate } = askHalf(half, question);
  const answered = rate === undefined ? values : [rate.targetBps, rate.pacingBps ?? NaN];
  if (answered === undefined) return NO_ANSWER;
  numbers.set(answered);
  return answered.length;
}

function questionOf(kind: Asked, numbers: Float64Array, count: number): Question {
  switch (kind) {
    case 'arrival': {
      const [seq = NaN, sendTimeUs = NaN, arrivalTimeUs = NaN, sizeBytes = NaN] = numbers;
      const [rtpTimestamp = NaN, keyFrame = 0, rttUs = NaN] = numbers.subarray(4, 7);
      const known = {
        ...(!Number.isNaN(rtpTimestamp) && { rtpTimestamp }),
        ...(!Number.isNaN(rttUs) && { rttUs }),
      };
      const arrival = { seq, sendTimeUs, arrivalTimeUs, sizeBytes, keyFrame: keyFrame > 0, ...known };
      return { kind, arrival };
    }
    case 'inbound': {
      const [timeUs = NaN, packetsReceived = NaN, packetsLost = NaN, bytesReceived = NaN] = numbers;
      return { kind, counters: { timeUs, packetsReceived, packetsLost, bytesReceived } };
    }
    case 'feedback':
      return { kind, feedback: feedbackFrom([...numbers.subarray(1, count)]), nowUs: numbers[0] ?? NaN };
    case 'rtt':
      return { kind, rttUs: numbers[1] ?? NaN };
    case 'rate':
      return { kind, nowUs: numbers[0] ?? NaN };
  }
}
