/**
 * The messages between a view, which is a separate page that shows calls, and the program that receives the
 * reports of the observed pages. Each message is a JSON string. The program forwards the reports unchanged,
 * since the view evaluates them itself (watch.ts). The view may send requests to the observed pages.
 */
import * as v from 'valibot';

import { readBatch } from '../calls/record/batch.js';
import type { WindowPlace } from '../calls/record/endpoints.js';
import type { Action, PageBatch, PageRequest } from '../inject/protocol.js';

/** The path of the WebSocket on the server of a view. A key that cannot be guessed follows the path. */
export const VIEW_PATH = '/view/';

const pageRequest = v.variant('type', [
  v.strictObject({ type: v.literal('flush') }),
  v.strictObject({ type: v.literal('pause') }),
  v.strictObject({ type: v.literal('resume') }),
  // The page checks the action itself.
  v.strictObject({ type: v.literal('act'), action: v.custom<Action>((value) => typeof value === 'object') }),
]) satisfies v.GenericSchema<unknown, PageRequest>;

const viewMessage = v.strictObject({
  /** A number that the answer to this request repeats. */
  id: v.pipe(v.number(), v.safeInteger()),
  /**
   * The window (page, iframe or popup) that receives the request, named as in `PageBatch.window`. Null: all
   * windows.
   */
  window: v.nullable(v.string()),
  request: pageRequest,
});

/** A request from a view. */
export type ViewMessage = v.InferOutput<typeof viewMessage>;

const place = v.object({ page: v.number(), place: v.picklist(['page', 'iframe', 'popup']) });

const feedMessage = v.variant('type', [
  v.object({
    type: v.literal('begin'),
    /** The zero point of all times, in milliseconds since the Unix epoch. */
    originEpochMs: v.number(),
    /** The title for the user: it names the browser that contains the pages. */
    title: v.string(),
  }),
  v.object({ type: v.literal('batch'), place, batch: v.unknown() }),
  v.object({ type: v.literal('window-ended'), window: v.string() }),
  /** Whether a view has paused all observers. Sent after the batches that came before, and after each change. */
  v.object({ type: v.literal('paused'), paused: v.boolean() }),
  v.object({ type: v.literal('answer'), id: v.number(), results: v.array(v.unknown()) }),
  v.object({ type: v.literal('refusal'), id: v.number(), message: v.string() }),
  /** The last message. No other message follows. */
  v.object({ type: v.literal('end'), message: v.string() }),
]);

/** A message to a view. */
export type FeedMessage =
  | Exclude<v.InferOutput<typeof feedMessage>, { type: 'batch' }>
  | { type: 'batch'; place: WindowPlace; batch: PageBatch };

/** Parses a request from a view. Throws if the string is not a valid request. */
export const readViewMessage = (text: string): ViewMessage => v.parse(viewMessage, JSON.parse(text));

/** Parses a message to a view. Throws if the string is not a valid message. */
export function readFeedMessage(text: string): FeedMessage {
  const message = v.parse(feedMessage, JSON.parse(text));
  return message.type === 'batch' ? { ...message, batch: readBatch(message.batch) } : message;
}
