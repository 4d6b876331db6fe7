/** Parses the messages that a page sent. */
import * as v from 'valibot';

import type { PageBatch } from '../../inject/protocol.js';
import { pageMessage } from './message_forms.js';

const batch = v.object({
  window: v.string(),
  url: v.string(),
  timeUs: v.number(),
  messages: v.array(pageMessage),
});

/** Turns null back into NaN. JSON writes NaN as null, and no field is null for another reason. */
const numbers = <T extends object>(stats: T): T =>
  Object.fromEntries(
    Object.entries(stats).map(([name, value]: [string, unknown]) => [name, value ?? NaN]),
  ) as T;

/**
 * Parses a batch of messages from an observer. Throws if the text is not such a batch, since a script of the
 * page could have sent it.
 */
export function readBatch(text: unknown): PageBatch {
  const checked = v.parse(batch, typeof text === 'string' ? JSON.parse(text) : text);
  for (const message of checked.messages) {
    if (message.type !== 'sample') continue;
    const { outbound, inbound } = message.sample;
    message.sample = {
      ...numbers(message.sample),
      outbound: outbound.map(numbers),
      inbound: inbound.map(numbers),
    };
  }
  return checked;
}
