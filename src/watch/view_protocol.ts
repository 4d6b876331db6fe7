/**
 * What is said between whoever is told by pages and a view that is somewhere else: JSON, a text each. The view keeps
 * a watch of its own, so it gets what the pages told; it may ask the pages for something in return.
 */
import * as v from 'valibot';

import { readBatch } from '../calls/record/batch.js';
import type { WindowPlace } from '../calls/record/endpoints.js';
import type { Action, PageBatch, PageRequest } from '../inject/protocol.js';

/** Where the server of a view has its WebSocket; what follows is a key that cannot be guessed. */
export const VIEW_PATH = '/view/';

const pageRequest = v.variant('type', [
  v.strictObject({ type: v.literal('flush') }),
  v.strictObject({ type: v.literal('pause') }),
  v.strictObject({ type: v.literal('resume') }),
  // The page itself checks what it is to do.
  v.strictObject({ type: v.literal('act'), action: v.custom<Action>((value) => typeof value === 'object') }),
]) satisfies v.GenericSchema<unknown, PageRequest>;

const viewMessage = v.strictObject({
  /** Comes back with the answer. */
  id: v.pipe(v.number(), v.safeInteger()),
  /** The window that is asked, by the name that its batches have; null: all are. */
  window: v.nullable(v.string()),
  request: pageRequest,
});

/** What a view asks for. */
export type ViewMessage = v.InferOutput<typeof viewMessage>;

const place = v.object({ page: v.number(), place: v.picklist(['page', 'iframe', 'popup']) });

const feedMessage = v.variant('type', [
  v.object({
    type: v.literal('begin'),
    /** Zero of all times, in milliseconds of the Unix epoch. */
    originEpochMs: v.number(),
    /** Whose pages they are, for people. */
    title: v.string(),
  }),
  v.object({ type: v.literal('batch'), place, batch: v.unknown() }),
  v.object({ type: v.literal('window-ended'), window: v.string() }),
  v.object({ type: v.literal('answer'), id: v.number(), results: v.array(v.unknown()) }),
  v.object({ type: v.literal('refusal'), id: v.number(), message: v.string() }),
  /** There will be nothing more. */
  v.object({ type: v.literal('end'), message: v.string() }),
]);

/** What a view is told. */
export type FeedMessage =
  | Exclude<v.InferOutput<typeof feedMessage>, { type: 'batch' }>
  | { type: 'batch'; place: WindowPlace; batch: PageBatch };

/** Throws for what no view says. */
export const readViewMessage = (text: string): ViewMessage => v.parse(viewMessage, JSON.parse(text));

/** Throws for anything else. */
export function readFeedMessage(text: string): FeedMessage {
  const message = v.parse(feedMessage, JSON.parse(text));
  return message.type === 'batch' ? { ...message, batch: readBatch(message.batch) } : message;
}
