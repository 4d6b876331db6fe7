/**
 * Parses the texts that come from a page. The page's own scripts can send texts in place of the observer, so nothing
 * in the texts is trusted. A text without the expected form is refused.
 */
import * as v from 'valibot';

import { readBatch } from '../calls/record/batch.js';
import { text } from '../calls/record/message_forms.js';
import type { PageBatch } from '../inject/protocol.js';

const told = v.union([
  v.object({ batch: v.looseObject({ window: text }) }),
  v.object({ id: v.string(), answer: v.unknown() }),
  v.object({ id: v.string(), error: text }),
]);

/** A batch, or the answer to a request. */
export type FromPage = { batch: PageBatch } | { id: string; answer: unknown } | { id: string; error: string };

/** Parses a page's text. Throws if no observer would send such a text. */
export function readFromPage(json: string): FromPage {
  const read = v.parse(told, JSON.parse(json));
  return 'batch' in read ? { batch: readBatch(read.batch) } : read;
}
