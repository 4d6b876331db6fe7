/** Shifts the times of a batch to another origin. */
import { NUMBERS_PER_FRAME, type PageBatch, type PageMessage } from './protocol.js';

/** The fields that contain a point in time. */
const TIMES: readonly string[] = ['timeUs', 'reportTimeUs'];
/** The numbers of a frame also contain a point in time, the arrival time. This is its index. */
const ARRIVAL = 2;

function shifted(value: unknown, laterUs: number): unknown {
  if (Array.isArray(value)) return value.map((each) => shifted(each, laterUs));
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value).map(([name, each]: [string, unknown]) => [
    name,
    TIMES.includes(name) && typeof each === 'number' ? each + laterUs : shifted(each, laterUs),
  ]);
  return Object.fromEntries(entries);
}

function shiftedMessage(message: PageMessage, laterUs: number): PageMessage {
  if (message.type !== 'frames') return shifted(message, laterUs) as PageMessage;
  const rows = message.rows.map((value, i) => (i % NUMBERS_PER_FRAME === ARRIVAL ? value + laterUs : value));
  return { ...message, rows };
}

/** A copy of the batch in which `laterUs` is added to all times. */
export function rebased(batch: PageBatch, laterUs: number): PageBatch {
  const messages = batch.messages.map((message) => shiftedMessage(message, laterUs));
  return { ...batch, timeUs: batch.timeUs + laterUs, messages };
}
