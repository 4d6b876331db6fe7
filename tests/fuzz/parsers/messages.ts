/** The data that the far side of a WebRTC call sends: feedback, and the trailers that are appended to frames. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

import {
  CoreError,
  decodeFeedback,
  encodeFeedback,
  feedbackNumbers,
  loadCore,
  type Feedback,
} from '../../../src/core/index.js';
import { appendTrailer, hasTrailer, readTrailer, TRAILER_BYTES } from '../../../src/worker/media/trailer.js';
import { check, same } from '../oracles.js';
import type { FuzzTarget } from '../target.js';

const bufferOf = (bytes: Uint8Array): ArrayBuffer => Uint8Array.from(bytes).buffer;
const bytesOf = (buffer: ArrayBuffer): Uint8Array => new Uint8Array(buffer);

const FRAME = Uint8Array.from({ length: 40 }, (_, i) => (i * 37) & 0xff);
const framed = (sendTimeUs: number, frameSeq: number, rttUs: number): Uint8Array =>
  bytesOf(appendTrailer(bufferOf(FRAME), { sendTimeUs, frameSeq, rttUs }));

/** Takes the numbers of a trailer from the first bytes of an input. */
function trailerIn(input: Uint8Array): { sendTimeUs: number; frameSeq: number; rttUs: number } {
  const padded = new Uint8Array(16);
  padded.set(input.subarray(0, 16));
  const view = new DataView(padded.buffer);
  const time = view.getFloat64(0, true);
  const sendTimeUs = Math.abs(time) <= 2 ** 53 ? time : view.getInt32(0, true);
  return { sendTimeUs, frameSeq: view.getUint32(8, true), rttUs: view.getUint32(12, true) || NaN };
}

const trailer: FuzzTarget = {
  name: 'trailer',
  seeds: [
    FRAME,
    framed(12_345_678, 4_000_000_000, 53_000),
    framed(1e300, 7, NaN),
    framed(-1, 0, 1),
    framed(NaN, 1, 2),
  ],
  words: ['CCS1'],
  run(input) {
    const frame = bufferOf(input);
    const read = readTrailer(frame);
    if (read !== null) {
      check(hasTrailer(frame) && Math.abs(read.sendTimeUs) <= 2 ** 53, () => 'a time that no clock shows');
      const body = frame.slice(0, frame.byteLength - TRAILER_BYTES);
      check(same(bytesOf(appendTrailer(body, read)), bytesOf(frame)), () => 'appended again, it is another');
    }
    const wanted = trailerIn(input);
    const made = appendTrailer(frame, wanted);
    check(same(readTrailer(made), wanted), () => 'read, it is another trailer');
    const damaged = bytesOf(made);
    const bit = input.reduce((sum, byte) => (sum * 31 + byte) % (8 * TRAILER_BYTES), 7);
    const at = input.length + (bit >> 3);
    damaged[at] = (damaged[at] ?? 0) ^ (1 << (bit & 7));
    check(readTrailer(made) === null, () => `bit ${bit} is wrong, and it is read`);
  },
};

const core = await loadCore(readFileSync(join('src', 'core', 'ccscope.wasm')));
const MAGIC = [0x43, 0x43, 0x46, 0x33];
const CONTROLLERS = ['gcc', 'nada', 'lcc'] as const;

const message = (values: readonly number[], changes: Partial<Feedback> = {}): Uint8Array =>
  bytesOf(
    encodeFeedback({
      timeUs: 1_234_567,
      receivedRateBps: 812_345.5,
      packetsReceived: 100,
      packetsLost: 3,
      echoSendTimeUs: 1_200_000,
      echoDelayUs: 12_000,
      values,
      ...changes,
    }),
  );

/** The feedback messages that a controller's receiver half sends during 60 regular arrivals. */
function sent(controller: (typeof CONTROLLERS)[number]): Uint8Array[] {
  const receiver = core.createReceiver({ controller });
  const messages: Uint8Array[] = [];
  for (let i = 0; i < 60; i++) {
    receiver.pushArrival({
      seq: i,
      sendTimeUs: i * 33_000,
      arrivalTimeUs: i * 33_000 + 25_000,
      sizeBytes: 4000,
    });
    const feedback = receiver.takeFeedback();
    if (feedback !== null) messages.push(bytesOf(encodeFeedback(feedback)));
  }
  receiver.destroy();
  return messages;
}

const joined = (messages: readonly Uint8Array[]): Uint8Array =>
  Uint8Array.from(messages.flatMap((m) => [...m]));

/** Splits an input into messages: a new one begins at each magic number. */
function messagesIn(input: Uint8Array): Uint8Array[] {
  const starts = [0];
  for (let at = 1; at + 4 <= input.length && starts.length < 8; at++)
    if (MAGIC.every((byte, i) => input[at + i] === byte)) starts.push(at);
  return starts.map((start, i) => input.subarray(start, starts[i + 1] ?? input.length));
}

/**
 * The fields that every message has, and the parameter names of `pushFeedback`. All other fields of a message
 * depend on the controller.
 */
const COMMON_FIELDS = ['time_us', 'received_rate_bps', 'packets_received', 'packets_lost'].concat([
  'echo_send_time_us',
  'echo_delay_us',
  'feedback',
  'now_us',
]);

/**
 * Checks that the core accepts decoded messages, and that the controller's rates stay valid. The core may refuse a
 * message if a number is NaN or if the values do not suit the controller.
 */
function checkCore(controller: (typeof CONTROLLERS)[number], messages: readonly Feedback[]): void {
  const sender = core.createSender({ controller, record: [] });
  try {
    const [min, max] = [sender.parameter('min_bitrate_bps'), sender.parameter('max_bitrate_bps')];
    messages.forEach((feedback, i) => {
      const nowUs = 2_000_000 + i * 50_000;
      try {
        sender.pushFeedback(feedback, nowUs);
      } catch (error) {
        const isWhole = feedbackNumbers(feedback).every((number) => !Number.isNaN(number));
        if (!(error instanceof CoreError) || error.field === undefined) throw error;
        if (isWhole && COMMON_FIELDS.includes(error.field)) throw error;
      }
      const { targetBps, pacingBps } = sender.run(nowUs);
      check(targetBps >= min && targetBps <= max, () => `${controller} wants ${targetBps} bps`);
      check(!(pacingBps < 0), () => `${controller} wants to pace at ${pacingBps} bps`);
    });
  } finally {
    sender.destroy();
  }
}

const feedback: FuzzTarget = {
  name: 'feedback',
  seeds: [
    message([]),
    message([1.5, -2, 0], { receivedRateBps: NaN }),
    ...CONTROLLERS.flatMap((controller) => [
      ...sent(controller).slice(-1),
      joined(sent(controller).slice(-3)),
    ]),
  ],
  words: ['CCF3'],
  run(input) {
    const messages = messagesIn(input).flatMap((bytes) => {
      const decoded = decodeFeedback(bufferOf(bytes));
      if (decoded === null) return [];
      const again = decodeFeedback(encodeFeedback(decoded.feedback, decoded.flow));
      check(same(again, decoded), () => 'encoded, it is another message');
      return [decoded.feedback];
    });
    if (messages.length > 0) for (const controller of CONTROLLERS) checkCore(controller, messages);
  },
};

export default [trailer, feedback];
