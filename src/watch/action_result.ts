/** Parses what a page outside this process reports about an action. */
import * as v from 'valibot';

import { actionResult } from '../calls/record/message_forms.js';
import type { ActionResult } from '../inject/protocol.js';

const NO_ANSWER: ActionResult = {
  ok: false,
  why: 'The page gave no answer.',
  fix: 'see that the page is still open, and try again',
};

/** The result that a page reported; a refusal if the page sent something else. */
export function readActionResult(value: unknown): ActionResult {
  const read = v.safeParse(actionResult, value);
  // The observer wrote `inForce`; if a page puts something else there, it is shown as text.
  return read.success ? (read.output as ActionResult) : NO_ANSWER;
}
