/** What a page says of an action, when it says it from elsewhere. */
import * as v from 'valibot';

import { actionResult } from '../calls/record/message_forms.js';
import type { ActionResult } from '../inject/protocol.js';

const NO_ANSWER: ActionResult = {
  ok: false,
  why: 'The page gave no answer.',
  fix: 'see that the page is still open, and try again',
};

/** The result that a page gave; a refusal if the page gave something else. */
export function readActionResult(value: unknown): ActionResult {
  const read = v.safeParse(actionResult, value);
  // The observer wrote what is in force; what a page may put there instead is drawn as text.
  return read.success ? (read.output as ActionResult) : NO_ANSWER;
}
