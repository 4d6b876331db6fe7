/**
 * Turns batches of reports into texts for the bridge, which drops a text that is too long. A page that was blocked for a
 * minute reports everything of that minute in one batch.
 */
import { stringify } from '../inject/natives.js';
import { NUMBERS_PER_FRAME, type PageBatch, type PageMessage } from '../inject/protocol.js';
import { MOST_CHARACTERS } from './channel.js';

export class BatchTexts {
  /** The time of the previous batch. */
  #beforeUs: number | null = null;

  /** The texts of a batch, in order. Each is short enough for the bridge. */
  of(batch: PageBatch): string[] {
    const beforeUs = this.#beforeUs ?? batch.timeUs;
    this.#beforeUs = batch.timeUs;
    return textsOf(batch, beforeUs);
  }
}

function textsOf(batch: PageBatch, beforeUs: number): string[] {
  const text = stringify({ batch });
  if (text.length <= MOST_CHARACTERS) return [text];
  const [first, second] = halvesOf(batch.messages);
  // Only with the last part has everything before the batch's time been reported.
  return [
    ...(first.length === 0 ? [] : textsOf({ ...batch, timeUs: beforeUs, messages: first }, beforeUs)),
    ...(second.length === 0 ? [] : textsOf({ ...batch, messages: second }, beforeUs)),
  ];
}

/** Two halves of these messages. A single message that cannot be divided is left out. */
function halvesOf(messages: readonly PageMessage[]): [PageMessage[], PageMessage[]] {
  const [message] = messages;
  if (messages.length > 1) {
    const half = Math.ceil(messages.length / 2);
    return [messages.slice(0, half), messages.slice(half)];
  }
  if (message?.type !== 'frames' || message.rows.length <= NUMBERS_PER_FRAME) return [[], []];
  const frames = message.rows.length / NUMBERS_PER_FRAME;
  const half = Math.ceil(frames / 2) * NUMBERS_PER_FRAME;
  return [
    [{ ...message, rows: message.rows.slice(0, half) }],
    [{ ...message, rows: message.rows.slice(half) }],
  ];
}
