/**
 * The message that the receiver half sends to the sender half, over a data channel in a call.
 * 4 bytes "CCF1", then the fields of {@link Feedback} as little-endian doubles.
 */
export interface Feedback {
  /** When it was made, on the receiver's clock. */
  timeUs: number;
  /** The rate that the delay-based controller asks for. */
  aRBps: number;
  receivedRateBps: number;
  /** Cumulative counters of the wire. */
  packetsReceived: number;
  packetsLost: number;
  /** Send time of the latest arrival, and how long ago that was: RTT = now - send time - delay. */
  echoSendTimeUs: number;
  echoDelayUs: number;
  /** How far to stay below aRBps until a backlog is drained. */
  drainBps: number;
}

const MAGIC = 0x31464343;
const FIELDS = [
  'timeUs',
  'aRBps',
  'receivedRateBps',
  'packetsReceived',
  'packetsLost',
  'echoSendTimeUs',
  'echoDelayUs',
  'drainBps',
] as const satisfies readonly (keyof Feedback)[];

/** Bytes of one encoded message. */
export const FEEDBACK_BYTES = 4 + 8 * FIELDS.length;

export function encodeFeedback(feedback: Feedback): ArrayBuffer {
  const buffer = new ArrayBuffer(FEEDBACK_BYTES);
  const view = new DataView(buffer);
  view.setUint32(0, MAGIC, true);
  FIELDS.forEach((field, i) => view.setFloat64(4 + 8 * i, feedback[field], true));
  return buffer;
}

/** The message in `data`, or null when it is not one: a foreign or damaged message is no error. */
export function decodeFeedback(data: ArrayBuffer): Feedback | null {
  if (data.byteLength !== FEEDBACK_BYTES) return null;
  const view = new DataView(data);
  if (view.getUint32(0, true) !== MAGIC) return null;
  const value = (i: number): number => view.getFloat64(4 + 8 * i, true);
  const [timeUs, aRBps, receivedRateBps, packetsReceived] = [value(0), value(1), value(2), value(3)];
  const [packetsLost, echoSendTimeUs, echoDelayUs, drainBps] = [value(4), value(5), value(6), value(7)];
  if (![timeUs, aRBps, packetsReceived, packetsLost].every(Number.isFinite) || aRBps <= 0) return null;
  return {
    ...{ timeUs, aRBps, receivedRateBps, packetsReceived, packetsLost },
    ...{ echoSendTimeUs, echoDelayUs, drainBps },
  };
}
