/**
 * Texts that are too long for the query of a page's address and are therefore in its fragment: a user's own
 * scenario, and the pinned run (a run that is shown beside the current run). The texts are compressed.
 */
import { deflated, fromBase64, inflated } from '../text/compressed.js';

/** The name of a part of the fragment. Parts are separated by `&`. */
export type FragmentPart = 'own' | 'pin';
/** Chats and mail programs may cut off longer addresses. */
const MAX_LENGTH = 30_000;

/** Encodes a text as a part of a fragment. Returns the empty string if the text is too long. */
export async function toFragment(part: FragmentPart, text: string): Promise<string> {
  const packed = await deflated(new TextEncoder().encode(text));
  const base64 = btoa(Array.from(packed, (byte) => String.fromCharCode(byte)).join(''));
  const fragment = `${part}=` + base64.replaceAll('+', '-').replaceAll('/', '_').replace(/=+$/, '');
  return fragment.length <= MAX_LENGTH ? fragment : '';
}

/** A part of a fragment, still encoded. Empty if the part is missing. */
export const partOf = (part: FragmentPart, fragment: string): string =>
  fragment.split('&').find((each) => each.startsWith(`${part}=`)) ?? '';

/**
 * Decodes a part of a fragment. Resolves to null if the part is missing. Rejects if it is damaged or longer than
 * MAX_LENGTH.
 */
export async function fromFragment(part: FragmentPart, fragment: string): Promise<string | null> {
  const written = partOf(part, fragment);
  if (written === '') return null;
  // This check limits only the compressed form. The text may be a thousand times as long.
  if (written.length > MAX_LENGTH) throw new RangeError(`${part}: expected at most ${MAX_LENGTH} characters`);
  const base64 = written
    .slice(part.length + 1)
    .replaceAll('-', '+')
    .replaceAll('_', '/');
  return new TextDecoder().decode(await inflated(fromBase64(base64)));
}
