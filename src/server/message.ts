/** Parses the messages that clients send over their WebSockets. */
import * as v from 'valibot';

import { clientMessage, type CheckedClientMessage } from '../link/server_protocol.js';
import { Refusal } from './limits.js';

/**
 * The deepest permitted nesting of a message. A message for the other client of a room is serialised again by a
 * recursive function, so the depth must be limited.
 */
const MAX_DEPTH = 32;

/** A client's message, or the reason why it is invalid. `id` is 0 if no valid id could be read. */
export type Received = { id: number; message: CheckedClientMessage } | { id: number; refusal: Refusal };

/** Parses a client's message. Never throws. */
export function readMessage(text: string): Received {
  if (isDeep(text)) return noMessage(`expected at most ${MAX_DEPTH} levels of nesting`);
  let data: unknown;
  try {
    data = JSON.parse(text);
  } catch {
    return noMessage('expected a message in JSON');
  }
  const id = idOf(data);
  const result = v.safeParse(clientMessage, data);
  if (result.success) return { id, message: result.output };
  const issue = result.issues[0];
  return { id, refusal: new Refusal(issue.message, v.getDotPath(issue) ?? 'message') };
}

const noMessage = (message: string): Received => ({ id: 0, refusal: new Refusal(message, 'message') });

/**
 * Whether a JSON text is nested more deeply than MAX_DEPTH. Checked before parsing, since JSON.parse takes half a
 * second for 1 MB of brackets.
 */
function isDeep(text: string): boolean {
  let depth = 0;
  let inString = false;
  for (let i = 0; i < text.length; i += 1) {
    const character = text[i];
    if (inString && character === '\\') i += 1;
    else if (character === '"') inString = !inString;
    else if (inString) continue;
    else if (character === '[' || character === '{') depth += 1;
    else if (character === ']' || character === '}') depth -= 1;
    if (depth > MAX_DEPTH) return true;
  }
  return false;
}

function idOf(data: unknown): number {
  const isMessage = typeof data === 'object' && data !== null && 'id' in data;
  return isMessage && Number.isSafeInteger(data.id) ? (data.id as number) : 0;
}
