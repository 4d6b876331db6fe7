/** Parses the result of an action, as reported by a page outside this process. */
import * as v from 'valibot';

import { actionResult } from '../calls/record/message_forms.js';
import type { ActionResult } from '../inject/protocol.js';

const NO_ANSWER: ActionResult = {
  ok: false,
  why: 'The page gave no answer.',
  fix: 'see that the page is still open, and try again',
};

/** Returns the result that a page reported, or a refusal if the page sent something else. */
export function readActionResult(value: unknown): ActionResult {
  const read = v.safeParse(actionResult, value);
  // The form of `inForce` is not checked, since `inForce` is only shown as text.
  return read.success ? (read.output as ActionResult) : NO_ANSWER;
}
