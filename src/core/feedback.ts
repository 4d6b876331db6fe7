/**
 * A message from the receiver half to the sender half. In a call, a data channel carries it in binary form:
 * the four bytes "CCF3", the flow's number (a little-endian uint32), and a list of little-endian doubles (the
 * fields of {@link Feedback} in order, then its values).
 */
export interface Feedback {
  /** When the message was created, on the receiver's clock. */
  timeUs: number;
  receivedRateBps: number;
  /** Cumulative counts of the packets on the wire. */
  packetsReceived: number;
  packetsLost: number;
  /**
   * `echoSendTimeUs`: the send time of the latest arrival. `echoDelayUs`: the time from that arrival to `timeUs`.
   * The sender computes RTT = now - echoSendTimeUs - echoDelayUs.
   */
  echoSendTimeUs: number;
  echoDelayUs: number;
  /** At most {@link MAX_FEEDBACK_VALUES} numbers. Only the sender half of the same controller can interpret them. */
  values: readonly number[];
}

/** A message, and the number of its flow. */
export interface FlowFeedback {
  flow: number;
  feedback: Feedback;
}

const MAGIC = 0x33464343;
const FIELDS = [
  'timeUs',
  'receivedRateBps',
  'packetsReceived',
  'packetsLost',
  'echoSendTimeUs',
  'echoDelayUs',
] as const satisfies readonly (keyof Feedback)[];

export const MAX_FEEDBACK_VALUES = 64;
const HEADER_BYTES = 8;

/** The fields of a message as numbers, in the core's order, followed by its values. */
export function feedbackNumbers(feedback: Feedback): number[] {
  return [...FIELDS.map((field) => feedback[field]), ...feedback.values];
}

/** Creates a message from numbers in the order of `feedbackNumbers`. */
export function feedbackFrom(numbers: readonly number[]): Feedback {
  const [timeUs = NaN, receivedRateBps = NaN, packetsReceived = NaN, packetsLost = NaN] = numbers;
  const [echoSendTimeUs = NaN, echoDelayUs = NaN, ...values] = numbers.slice(4);
  return {
    ...{ timeUs, receivedRateBps, packetsReceived, packetsLost },
    ...{ echoSendTimeUs, echoDelayUs, values },
  };
}

export function encodeFeedback(feedback: Feedback, flow = 0): ArrayBuffer {
  const numbers = feedbackNumbers(feedback);
  const buffer = new ArrayBuffer(HEADER_BYTES + 8 * numbers.length);
  const view = new DataView(buffer);
  view.setUint32(0, MAGIC, true);
  view.setUint32(4, flow, true);
  numbers.forEach((number, i) => view.setFloat64(HEADER_BYTES + 8 * i, number, true));
  return buffer;
}

/** Parses the message in `data`. Returns null for a foreign or damaged message, which is not an error. */
export function decodeFeedback(data: ArrayBuffer): FlowFeedback | null {
  const count = (data.byteLength - HEADER_BYTES) / 8;
  const isCount = Number.isInteger(count) && count >= FIELDS.length;
  if (!isCount || count > FIELDS.length + MAX_FEEDBACK_VALUES) return null;
  const view = new DataView(data);
  if (view.getUint32(0, true) !== MAGIC) return null;
  const feedback = feedbackFrom(
    Array.from({ length: count }, (_, i) => view.getFloat64(HEADER_BYTES + 8 * i, true)),
  );
  return isUsable(feedback) ? { flow: view.getUint32(4, true), feedback } : null;
}

/** Doubles represent all integers up to this value exactly. Messages with larger numbers are refused. */
const MAX_EXACT = 2 ** 53;
const isExact = (value: number): boolean => Math.abs(value) <= MAX_EXACT;
const isExactOrAbsent = (value: number): boolean => Number.isNaN(value) || isExact(value);

/** Whether the numbers of a message are valid. The received rate and the echo fields may be absent (NaN). */
function isUsable(feedback: Feedback): boolean {
  const { timeUs, receivedRateBps, packetsReceived, packetsLost, values } = feedback;
  const { echoSendTimeUs, echoDelayUs } = feedback;
  return (
    [timeUs, packetsReceived, packetsLost, ...values].every(isExact) &&
    [receivedRateBps, echoSendTimeUs, echoDelayUs].every(isExactOrAbsent) &&
    !(receivedRateBps < 0)
  );
}
