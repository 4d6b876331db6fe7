/**
 * The messages between the program that receives the reports of pages and a view elsewhere. Each message is
 * one JSON text. The view runs its own watch, so it is sent the reports themselves; it may send requests to
 * the pages.
 */
import * as v from 'valibot';

import { readBatch } from '../calls/record/batch.js';
import type { WindowPlace } from '../calls/record/endpoints.js';
import type { Action, PageBatch, PageRequest } from '../inject/protocol.js';

/** The path of the WebSocket on a view's server; it is followed by a key that cannot be guessed. */
export const VIEW_PATH = '/view/';

const pageRequest = v.variant('type', [
  v.strictObject({ type: v.literal('flush') }),
  v.strictObject({ type: v.literal('pause') }),
  v.strictObject({ type: v.literal('resume') }),
  // The page itself checks the action.
  v.strictObject({ type: v.literal('act'), action: v.custom<Action>((value) => typeof value === 'object') }),
]) satisfies v.GenericSchema<unknown, PageRequest>;

const viewMessage = v.strictObject({
  /** The answer has the same id. */
  id: v.pipe(v.number(), v.safeInteger()),
  /** The window (page, iframe or popup) that the request goes to, named as in its batches; null: all windows. */
  window: v.nullable(v.string()),
  request: pageRequest,
});

/** A request from a view. */
export type ViewMessage = v.InferOutput<typeof viewMessage>;

const place = v.object({ page: v.number(), place: v.picklist(['page', 'iframe', 'popup']) });

const feedMessage = v.variant('type', [
  v.object({
    type: v.literal('begin'),
    /** Zero of all times, in milliseconds of the Unix epoch. */
    originEpochMs: v.number(),
    /** A text for people that names the browser whose pages these are. */
    title: v.string(),
  }),
  v.object({ type: v.literal('batch'), place, batch: v.unknown() }),
  v.object({ type: v.literal('window-ended'), window: v.string() }),
  v.object({ type: v.literal('answer'), id: v.number(), results: v.array(v.unknown()) }),
  v.object({ type: v.literal('refusal'), id: v.number(), message: v.string() }),
  /** The last message: no more will come. */
  v.object({ type: v.literal('end'), message: v.string() }),
]);

/** A message to a view. */
export type FeedMessage =
  | Exclude<v.InferOutput<typeof feedMessage>, { type: 'batch' }>
  | { type: 'batch'; place: WindowPlace; batch: PageBatch };

/** Throws for anything that is not a view's request. */
export const readViewMessage = (text: string): ViewMessage => v.parse(viewMessage, JSON.parse(text));

/** Throws for anything that is not a message to a view. */
export function readFeedMessage(text: string): FeedMessage {
  const message = v.parse(feedMessage, JSON.parse(text));
  return message.type === 'batch' ? { ...message, batch: readBatch(message.batch) } : message;
}
